import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { formatTime, withTimeLimit } from './clock.ts';

test.each([
  ['Asia/Jakarta', '2026-03-01T02:40:15+07:00'],
  ['UTC', '2026-02-28T19:40:15+00:00'],
  ['America/St_Johns', '2026-02-28T16:10:15-03:30'],
])('times in %s carry the numeric offset and whole seconds', (zone, text) => {
  expect(formatTime(new Date('2026-02-28T19:40:15.999Z'), zone)).toBe(text);
});

test('whenever it is, in whatever zone, the time is the one the calendar library tells', () => {
  const zones = [
    'Asia/Jakarta',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Europe/Berlin',
    'Pacific/Chatham',
    'UTC',
  ];
  const times = fc.date({ min: new Date('1973-01-01T00:00:00Z'), max: new Date('2099-12-31T00:00:00Z'), noInvalidDate: true });
  fc.assert(
    fc.property(times, fc.constantFrom(...zones), (time, zone) => {
      const told = DateTime.fromJSDate(time, { zone }).startOf('second').toFormat("yyyy-MM-dd'T'HH:mm:ssZZ");
      return formatTime(time, zone) === told;
    }),
    { numRuns: 2_000 },
  );
  const change = Date.parse('2026-10-25T01:00:00Z');
  expect([change - 1, change].map((at) => formatTime(new Date(at), 'Europe/Berlin'))).toEqual([
    '2026-10-25T02:59:59+02:00',
    '2026-10-25T02:00:00+01:00',
  ]);
});

test('work that does not end in time is aborted and counts as timed out', async () => {
  const clock = new FakeClock();
  let aborted = false;
  const limited = withTimeLimit(clock, 1_000, (signal) => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    return new Promise<never>(() => {});
  });
  await clock.advance(1_000);
  expect(await limited).toEqual({ timedOut: true });
  expect(aborted).toBe(true);
});

test('work that ends in time gives its value, and work that fails gives its error', async () => {
  const clock = new FakeClock();
  expect(await withTimeLimit(clock, 1_000, async () => 42)).toEqual({ timedOut: false, value: 42 });
  await expect(withTimeLimit(clock, 1_000, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
