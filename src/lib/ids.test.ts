import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstIdAt, fromPublicId, newId, repeatIds, toPublicId } from './ids.ts';

const NOW = new Date('2026-03-01T00:00:00Z');

test('ids made one after the other sort in that order, within a millisecond and when the clock steps back', () => {
  const ids = [...Array.from({ length: 10_000 }, () => newId(NOW)), newId(new Date(NOW.getTime() - 60_000))];
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('an id is a UUID of version 7 that tells its time', () => {
  const id = newId(new Date('2030-01-01T00:00:00Z'));
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.parse('2030-01-01T00:00:00Z'));
});

test('the first id of a moment stands before all ids that are made then, and after all that were made before', () => {
  const moment = new Date('2031-01-01T00:00:00Z');
  const [before, then] = [newId(new Date(moment.getTime() - 1)), newId(moment)];
  expect([then, firstIdAt(moment), before].toSorted()).toEqual([before, firstIdAt(moment), then]);
});

test('a public id leads back to its id, in either case, and sorts like it', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (one, other) => {
      const publicOne = toPublicId('TG', one);
      expect(fromPublicId('TG', publicOne)).toBe(one);
      expect(fromPublicId('TG', publicOne.toLowerCase())).toBe(one);
      expect(publicOne < toPublicId('TG', other)).toBe(one < other);
    }),
  );
});

test('what is not a public id is none', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (text) => {
      expect(fromPublicId('tr_', `TG${text}`)).toBeNull();
    }),
  );
  expect(fromPublicId('TG', `TG${'Z'.repeat(26)}`)).toBeNull();
});

test('a simulation makes the same ids again', () => {
  const make = () => {
    let next = 0;
    repeatIds((stock) => stock.fill(++next));
    return Array.from({ length: 1_000 }, () => newId(NOW));
  };
  const ids = make();
  expect(make()).toEqual(ids);
  expect(ids.toSorted()).toEqual(ids);
});
