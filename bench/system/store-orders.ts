import type pg from 'pg';
import { PRICE, SALES } from '../baselines/one-by-one.ts';
import type { Installation } from './installations.ts';
import { withClient } from './postgres.ts';

/** Slices of the last 60 days, each written as one statement: rows of all accounts lie beside each other, as in real life. */
const SLICES = 10;

/**
 * Writes delivered orders and their debits straight into the tables, for all resellers of the benchmark. Triggers and foreign
 * keys are off meanwhile and what they demand is written; they are on again for everything that follows.
 */
export async function storeOrders(
  { databaseUrl }: Installation,
  { each, deposit, step }: { each: number; deposit: number; step: (text: string) => void },
): Promise<void> {
  if (databaseUrl === null) throw new Error('Only PostgreSQL can be filled with SQL.');
  await withClient(databaseUrl, async (client) => {
    await client.query(`
      set session_replication_role = replica;
      set synchronous_commit = off;
      set maintenance_work_mem = '512MB';
      create temporary table numbered as
        select accounts.id, row_number() over (order by length(username), username) as number
        from accounts join resellers on resellers.id = reseller_id where mode = 'live' and username like 'bench-%';
      analyze numbered;
      alter table orders set (autovacuum_enabled = false);
      alter table transfers set (autovacuum_enabled = false)`);
    await setCheckpoints(client, `'16GB'`);
    const indexes = await dropIndexes(client);
    const slice = each / SLICES;
    for (let part = 0; part < SLICES; part++) {
      step(`storing orders with SQL, part ${part + 1} of ${SLICES}`);
      await client.query(insertSlice(part * slice, (part + 1) * slice, each, deposit));
    }
    step('storing orders: indexes and balances');
    for (const index of indexes) await client.query(index);
    await client.query(`
      update accounts set balance = transfers.balance_after, seq = transfers.seq, head = transfers.hash
      from transfers where accounts.id = transfers.account_id and transfers.seq = ${each + 1}`);
    step('storing orders: VACUUM ANALYZE and CHECKPOINT');
    await client.query('vacuum analyze');
    await client.query('alter table orders reset (autovacuum_enabled); alter table transfers reset (autovacuum_enabled)');
    await setCheckpoints(client, 'default');
    await client.query('checkpoint');
  });
}

/** How much log may be written between two checkpoints; `default` is what everything else is measured with. */
async function setCheckpoints(client: pg.Client, size: string): Promise<void> {
  await client.query(`alter system set max_wal_size = ${size}`);
  await client.query('select pg_reload_conf()');
}

/** Drops the indexes that no constraint needs, which are made faster afterwards. Answers the statements that bring them back. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid in ('orders'::regclass, 'transfers'::regclass)
      and not exists (select from pg_constraint where conindid = indexrelid)`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

/** The deposit was transfer 1, so the order of a number has transfer number + 2, and each leaves the balance one price lower. */
function insertSlice(from: number, until: number, each: number, deposit: number): string {
  return `
    with placed as materialized (
      select numbered.id as account_id, step, step + 2 as seq, 'S-' || numbered.number || '-' || step as ref_id,
             uuidv7(make_interval(secs => age)) as id, now() + make_interval(secs => age) as at
      from generate_series(${from}, ${until} - 1) as step
      cross join numbered
      cross join lateral (select -60 * 86400 * (1 - (step + numbered.number / 1e5) / ${each}.0)::float8 as age) as ages
      order by step, numbered.number
    ), moved as (
      insert into transfers (account_id, seq, id, mode, kind, debit_account, credit_account, amount, balance_after, order_id,
                             reference, created_at, hash)
      select account_id, seq, id, 'live', 'order', account_id, '${SALES}', ${PRICE}, ${deposit} - ${PRICE} * (step + 1), id,
             ref_id, at, sha256(uuid_send(id)) from placed
    )
    insert into orders (account_id, id, mode, ref_id, product_code, service_code, service_name, user_id, zone, nickname, price,
                        state, serial_number, supplier_code, debit_seq, created_at, updated_at)
    select account_id, id, 'live', ref_id, 'MLBB', 'MLBB-85', '85 Diamonds (77+8)', '123450001', '2001', 'Sandbox 123450001',
           ${PRICE}, 'Success', 'SBX-' || id, 'sandbox', seq, at, at
    from placed`;
}
