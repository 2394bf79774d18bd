import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnBothEngines, openInMemory, type TestDatabase } from '../../test/support/engines.ts';
import { firstIdAt } from '../lib/ids.ts';
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

describeOnBothEngines('the migration to months', (open) => {
  const FILES = fs.readdirSync(path.join(import.meta.dirname, '../../migrations')).sort();

  const TIMES = ['2025-11-15T08:00:00Z', '2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00Z', '2026-01-02T08:00:00Z'];

  test('carries events, deliveries and attempts over into the months of their ids', async () => {
    const { database } = open();
    const { db } = database;
    await sql`drop schema public cascade`.execute(db);
    await sql`create schema public`.execute(db);
    // As the program before it would have left the database.
    await db.transaction().execute(async (tx) => {
      await sql`create table schema_migrations (
        version integer primary key, name text not null, checksum text not null, applied_at timestamptz default now())`.execute(
        tx,
      );
      for (const file of FILES.filter((name) => name < '0007')) {
        const text = fs.readFileSync(path.join(import.meta.dirname, '../../migrations', file), 'utf8');
        await database.runScript(tx, text);
        const checksum = createHash('sha256').update(text).digest('hex');
        await sql`insert into schema_migrations values (${Number(file.slice(0, 4))}, ${file.slice(0, -4)}, ${checksum})`.execute(
          tx,
        );
      }
      await database.runScript(
        tx,
        `insert into resellers values ('00000000-0000-7000-8000-000000000001', 'A', 'ab', 'standard', 'Active', null, now(), now());
         insert into accounts values ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', 'test');
         insert into feeds values ('00000000-0000-7000-8000-000000000002', 4, true);
         insert into webhook_endpoints values ('00000000-0000-7000-8000-000000000003', '00000000-0000-7000-8000-000000000002',
           'https://shop.example', '{}', 'Active', null, null, null, null, now(), now());
         insert into events select '00000000-0000-7000-8000-000000000002', sequence, id::uuid, 'balance.credited', null, '{}', now()
         from (values ${TIMES.map((time, index) => `(${index + 1}, '${firstIdAt(new Date(time))}')`)}) as row (sequence, id);
         insert into webhook_deliveries select id_beside(id), '00000000-0000-7000-8000-000000000003', account_id, sequence, 'Delivered',
           1, 1, null, now(), now() from events;
         insert into webhook_attempts select id, 1, 200, null, 5, 'ok', now() from webhook_deliveries;`,
      );
    });

    expect(await migrate(database)).toEqual(FILES.filter((name) => name >= '0007').map((name) => name.slice(0, -4)));
    const { rows } = await sql`
      select event.tableoid::regclass::text as event, delivery.tableoid::regclass::text as delivery,
             attempt.tableoid::regclass::text as attempt
      from events as event join webhook_deliveries as delivery using (account_id, sequence)
      join webhook_attempts as attempt on attempt.delivery_id = delivery.id
      order by sequence`.execute(db);
    expect(rows).toEqual(
      ['2025_11', '2025_12', '2026_01', '2026_01'].map((month) => ({
        event: `events_${month}`,
        delivery: `webhook_deliveries_${month}`,
        attempt: `webhook_attempts_${month}`,
      })),
    );
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
