import fs from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines, openInMemory, type TestDatabase } from '../../test/support/engines.ts';
import { dumpSchema } from './dump-schema.ts';
import { migrate, readSchemaState, refuseUnusable } from './migrate.ts';

describeOnBothEngines('migrations', (open) => {
  test('are applied once; a second run has nothing to do', async () => {
    expect(await migrate(open().database)).toEqual([]);
    expect(await readSchemaState(open().database.db)).toEqual({ kind: 'current' });
  });

  test('lead to the schema of docs/schema.sql (npm run schema:dump writes it anew)', async () => {
    const written = fs.readFileSync(path.join(import.meta.dirname, '../../docs/schema.sql'), 'utf8');
    expect(await dumpSchema(open().database.db)).toBe(written);
  });
});

test('processes that migrate at the same moment queue behind each other', async () => {
  const memory = await openInMemory();
  await sql`drop schema public cascade`.execute(memory.database.db);
  await sql`create schema public`.execute(memory.database.db);
  const applied = await Promise.all([migrate(memory.database), migrate(memory.database)]);
  // Whoever gets the lock first does all of it.
  expect(applied.map((names) => names.length > 0).toSorted()).toEqual([false, true]);
  await memory.drop();
});

test('types read from both engines are the same: bigint, Date, bytes, JSON', async () => {
  const memory = await openInMemory();
  const { rows } =
    await sql`select 5::int8 as small, 9007199254740993::int8 as big, now() as time, '\\x0102'::bytea as bytes, '{"a":1}'::jsonb as json`.execute(
      memory.database.db,
    );
  expect(rows).toEqual([
    { small: 5n, big: 9_007_199_254_740_993n, time: expect.any(Date), bytes: expect.any(Uint8Array), json: { a: 1 } },
  ]);
  await memory.drop();
});

let database: TestDatabase;
beforeAll(async () => {
  database = await openInMemory();
});
afterAll(() => database.drop());

test('a schema newer than the code is refused', async () => {
  const { db } = database.database;
  await sql`insert into schema_migrations (version, name, checksum) values (9999, '9999-future', 'x')`.execute(db);
  const state = await readSchemaState(db);
  expect(state).toEqual({ kind: 'ahead', version: 9999 });
  expect(() => refuseUnusable(state)).toThrow('newer Topgate');
  await sql`delete from schema_migrations where version = 9999`.execute(db);
});

test('a migration that was changed after it had been applied is refused', async () => {
  const { db } = database.database;
  await sql`update schema_migrations set checksum = 'other' where version = 1`.execute(db);
  await expect(migrate(database.database)).rejects.toThrow('0001-resellers');
});
