import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { Statements } from './statements.ts';

let engine: PGlite;
beforeAll(async () => {
  engine = await PGlite.create();
});
afterAll(() => engine.close());
// Each test has the session as it was before the first statement.
beforeEach(() => engine.exec('deallocate all'));

const LONGER_THAN_PLANS_LAST_MS = 10_000;

test('a transaction that has failed can be rolled back also when the plans are due to be made anew', async () => {
  const clock = new FakeClock();
  const statements = new Statements(engine, clock);
  const run = (text: string) => statements.run({ text, parameters: [] });
  await run('begin');
  await expect(run('select 1 / 0')).rejects.toThrow('division by zero');
  await clock.jump(LONGER_THAN_PLANS_LAST_MS);
  expect((await run('rollback')).command).toBe('ROLLBACK');
  expect((await run('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

test('a statement that is known by its text answers by its parameters, also after its plan was dropped', async () => {
  const clock = new FakeClock();
  const statements = new Statements(engine, clock);
  const double = async (value: number) =>
    (await statements.run({ text: 'select $1::int * 2 as twice', parameters: [value] })).rows;
  expect(await double(1)).toEqual([{ twice: 2 }]);
  await clock.jump(LONGER_THAN_PLANS_LAST_MS);
  expect(await double(21)).toEqual([{ twice: 42 }]);
});

test('more different statements than are kept prepared do no harm', async () => {
  const statements = new Statements(engine, new FakeClock());
  for (let value = 0; value < 600; value++)
    expect((await statements.run({ text: `select ${value} as value`, parameters: [] })).rows).toEqual([{ value }]);
  expect((await statements.run({ text: 'select 0 as value', parameters: [] })).rows).toEqual([{ value: 0 }]);
});
