import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from '../case.ts';
import type { Sample, Side } from '../report/figures.ts';
import { DEPOSIT } from '../system/installations.ts';
import { withClient } from '../system/postgres.ts';
import { connectionsText } from '../system/topgate.ts';
import { PRICE, SALES, verify } from './one-by-one.ts';

/** Baseline (b): the transaction of baseline (a), sent by PostgreSQL's own load generator, which is written in C. */
export function pgbench(context: Context, options: { resellers: number; connections: number[] }): Side {
  return { subject: PGBENCH, isBaseline: false, measure: () => measure(context, options) };
}

export const PGBENCH = '(b) the same transaction by pgbench';
const THREADS = 2;
const WARM_UP_SECONDS = 1;

/** The version that is on the PATH, or null: it does not come from npm. */
export function findPgbench(): string | null {
  try {
    return execFileSync('pgbench', ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** Ids are made by the server, which knows UUIDv7; the hash is of the right length, as in baseline (a). */
const SCRIPT = `
\\set number random(1, :accounts)
\\set counter :counter + 1
begin;
select id as account_id, balance - ${PRICE} as balance_after, seq + 1 as next_seq, uuidv7() as order_id
  from accounts where id = (select id from bench_accounts where number = :number) for update \\gset
select id from orders where account_id = :account_id::uuid and ref_id = 'P-' || :run || '-' || :client_id || '-' || :counter;
insert into orders (account_id, id, mode, ref_id, product_code, service_code, service_name, user_id, zone, nickname, price,
                    state, supplier_code, next_action_at, debit_seq, created_at, updated_at)
  values (:account_id::uuid, :order_id::uuid, 'live', 'P-' || :run || '-' || :client_id || '-' || :counter, 'MLBB', 'MLBB-85',
          '85 Diamonds (77+8)', '123450001', '2001', 'Sandbox 123450001', ${PRICE}, 'Process', 'sandbox', now(),
          :next_seq::bigint, now(), now());
insert into transfers (account_id, seq, id, mode, kind, debit_account, credit_account, amount, balance_after, order_id,
                       reference, created_at, hash)
  values (:account_id::uuid, :next_seq::bigint, uuidv7(), 'live', 'order', :account_id::uuid, '${SALES}', ${PRICE},
          :balance_after::bigint, :order_id::uuid, 'P-' || :run || '-' || :client_id || '-' || :counter, now(),
          sha256(convert_to(:order_id::text, 'UTF8')));
update accounts set balance = :balance_after::bigint, seq = :next_seq::bigint,
                    head = sha256(convert_to(:order_id::text, 'UTF8')) where id = :account_id::uuid;
commit;
`;

async function measure(context: Context, { resellers, connections }: { resellers: number; connections: number[] }) {
  const { databaseUrl, discard } = await context.installations.open('postgres', resellers);
  if (databaseUrl === null) throw new Error('pgbench needs PostgreSQL.');
  await numberAccounts(databaseUrl);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-pgbench-'));
  const script = path.join(folder, 'order.sql');
  fs.writeFileSync(script, SCRIPT);
  const samples: Sample[] = [];
  let placed = 0;
  let run = 0;
  const runOnce = async (clients: number, seconds: number) => {
    const variables = { accounts: resellers, counter: 0, run: ++run };
    const found = await execute(databaseUrl, script, clients, seconds, variables);
    placed += found.transactions;
    return found;
  };
  for (const clients of connections) {
    await runOnce(clients, WARM_UP_SECONDS);
    const { perSecond, latencyMs } = await runOnce(clients, context.seconds);
    samples.push({ setting: connectionsText(clients), value: perSecond, details: { 'mean ms': latencyMs } });
  }
  await verify(databaseUrl, placed);
  await discard();
  fs.rmSync(folder, { recursive: true });
  return samples;
}

async function execute(
  url: string,
  script: string,
  clients: number,
  seconds: number,
  variables: Record<string, number>,
): Promise<{ transactions: number; perSecond: number; latencyMs: number }> {
  const { hostname, port, username, pathname } = new URL(url);
  const settings = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  const { stdout } = await promisify(execFile)('pgbench', [
    ...['-h', hostname, '-p', port, '-U', username, '-n', '-M', 'prepared', '-f', script],
    ...['-c', String(clients), '-j', String(THREADS), '-T', String(seconds)],
    ...settings,
    pathname.slice(1),
  ]);
  const read = (pattern: RegExp) => {
    const value = Number(pattern.exec(stdout)?.[1]);
    if (Number.isNaN(value)) throw new Error(`pgbench said:\n${stdout}`);
    return value;
  };
  return {
    transactions: read(/number of transactions actually processed: (\d+)/),
    perSecond: read(/tps = ([\d.]+)/),
    latencyMs: read(/latency average = ([\d.]+) ms/),
  };
}

/** pgbench chooses numbers; this table says which account each is. */
async function numberAccounts(url: string): Promise<void> {
  await withClient(url, (client) =>
    client.query(`
      create table bench_accounts (number integer primary key, id uuid not null);
      insert into bench_accounts
        select row_number() over (order by accounts.id), accounts.id from accounts
        join resellers on resellers.id = reseller_id
        where mode = 'live' and username like 'bench-%' and balance = ${DEPOSIT};
      analyze bench_accounts`),
  );
}
