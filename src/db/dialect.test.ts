import { Kysely, PostgresAdapter, sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import type { Statement } from './dialect.ts';
import { wireDialect } from './dialect.ts';
import type { Tables } from './tables.ts';
import { inTransaction, later, readBoth, reading } from './transaction.ts';

/** A wire that answers nothing to everything and remembers what was sent together. */
function recordingWire() {
  const roundTrips: string[][] = [];
  const released: boolean[] = [];
  const run = async (statements: Statement[]) => {
    roundTrips.push(statements.map(({ text }) => text));
    return statements.map(({ text }) => ({ rows: [], affectedRows: 0, command: text.toUpperCase() }));
  };
  const db = new Kysely<Tables>({
    dialect: wireDialect({
      acquire: async () => ({ run }),
      release: (_wire, broken) => released.push(broken),
      close: async () => undefined,
      adapter: new PostgresAdapter(),
    }),
  });
  return { db, roundTrips, released };
}

test('a transaction waits only where it needs an answer: begin goes with the first statement, later writes with the next', async () => {
  const { db, roundTrips, released } = recordingWire();
  await inTransaction(db, async (tx) => {
    await sql`read`.execute(tx);
    await later(tx, sql`write 1`);
    await later(tx, sql`write 2`);
    await sql`read again`.execute(tx);
    await later(tx, sql`write 3`);
  });
  expect(roundTrips).toEqual([
    ['begin', 'read'],
    ['write 1', 'write 2', 'read again'],
    ['write 3', 'commit'],
  ]);
  expect(released).toEqual([false]);
});

test('two reads go together, behind what was put off, and each gets its own rows', async () => {
  const { db, roundTrips } = recordingWire();
  await inTransaction(db, async (tx) => {
    await later(tx, sql`write`);
    await readBoth(tx, reading(sql`lock`, String), reading(sql`find`, String));
  });
  expect(roundTrips).toEqual([['begin', 'write', 'lock', 'find'], ['commit']]);
});

test('a transaction that is given up before it sent anything sends nothing', async () => {
  const { db, roundTrips } = recordingWire();
  const given = inTransaction(db, async (tx) => {
    await later(tx, sql`write`);
    throw new Error('changed my mind');
  });
  await expect(given).rejects.toThrow('changed my mind');
  expect(roundTrips).toEqual([]);
});

describeOnBothEngines('a transaction', (open) => {
  const db = () => open().database.db;
  const count = async () =>
    (await sql<{ count: number }>`select count(*)::int as count from settings`.execute(db())).rows[0]?.count;
  const insert = (key: string) => sql`insert into settings (key, value, updated_at) values (${key}, 'null', now())`;

  test('whose write fails at the commit fails with the error of that write, and nothing of it stays', async () => {
    const before = await count();
    const failing = inTransaction(db(), async (tx) => {
      await later(tx, insert('fine'));
      await later(
        tx,
        sql`insert into tiers (code, name, pricing, created_at, updated_at) values ('x', 'x', 'nonsense', now(), now())`,
      );
      await later(tx, insert('never tried'));
    });
    await expect(failing).rejects.toMatchObject({ code: '23514', constraint: 'tiers_pricing_check' });
    expect(await count()).toBe(before);
  });

  test('sees what it wrote later', async () => {
    const before = (await count()) ?? 0;
    const seen = await inTransaction(db(), async (tx) => {
      await later(tx, insert('seen'));
      return (await sql<{ count: number }>`select count(*)::int as count from settings`.execute(tx)).rows[0]?.count;
    });
    expect(seen).toBe(before + 1);
    expect(await count()).toBe(before + 1);
  });

  test('reads two things at once, the second as the first has left it', async () => {
    const write = sql<{ code: string }>`
      insert into tiers (code, name, pricing, created_at, updated_at) values ('both', 'Both', 'list', now(), now()) returning code`;
    const count = sql<{ count: number }>`select count(*)::int as count from tiers where code = ${'both'}`;
    const [written, found] = await inTransaction(db(), (tx) =>
      readBoth(
        tx,
        reading(write, (rows) => rows.map(({ code }) => code)),
        reading(count, (rows) => rows[0]?.count),
      ),
    );
    expect([written, found]).toEqual([['both'], 1]);
  });

  test('that goes on after a failed statement is not taken for committed', async () => {
    const before = await count();
    const careless = inTransaction(db(), async (tx) => {
      await insert('lost').execute(tx);
      await sql`select 1 / 0`.execute(tx).catch(() => undefined);
    });
    await expect(careless).rejects.toThrow('rolled back');
    expect(await count()).toBe(before);
  });

  test('finds the new columns of a table that was changed after its statement was prepared', async () => {
    await sql`create table growing (one int)`.execute(db());
    await sql`insert into growing values (1)`.execute(db());
    const read = async () => (await sql`select * from growing`.execute(db())).rows;
    expect(await read()).toEqual([{ one: 1 }]);
    await inTransaction(db(), (tx) => open().database.runScript(tx, 'alter table growing add column two int default 2'));
    expect(await read()).toEqual([{ one: 1, two: 2 }]);
    await sql`drop table growing`.execute(db());
  });
});
