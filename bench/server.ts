import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ENVIRONMENT_VARIABLES } from '../src/main/config.ts';
import { freePort } from '../test/support/postgres-server.ts';

export type Role = 'all' | 'api';

/** The real service in a process of its own, with its data in a temporary folder. */
export interface BenchServer {
  port: number;
  /** A request to the admin API; throws unless it is answered with 200. */
  admin<Data>(method: 'GET' | 'POST', url: string, body?: unknown): Promise<Data>;
  /** Ends it and starts another on the same data, which shares nothing with it but the disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface BenchReseller {
  token: string;
  secret: string;
}

const COMMAND_LINE = path.join(import.meta.dirname, '../src/main/cli.ts');
const ADMIN_TOKEN = 'bench-admin-token';
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 40_000;
const REQUEST_LIMIT_MS = 120_000;
/** Enough for millions of orders: no case ends for lack of money. */
export const DEPOSIT = 100_000_000_000;

/** Starts `topgate serve`, on the embedded engine or on a PostgreSQL database, and waits until it takes orders. */
export async function startServer(options: { role: Role; databaseUrl: string | null }): Promise<BenchServer> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-bench-'));
  const logFile = path.join(home, 'server.log');
  const port = await freePort();
  const env = environment({ ...options, port, dataDir: path.join(home, 'data') });
  const readLog = () => fs.readFileSync(logFile, 'utf8');
  const discard = () => fs.rmSync(home, { recursive: true, force: true });

  const launch = async (): Promise<ChildProcess> => {
    const log = fs.openSync(logFile, 'a');
    const started = spawn(process.execPath, [COMMAND_LINE, 'serve'], { env, stdio: ['ignore', log, log] });
    fs.closeSync(log);
    try {
      await untilReady(started, port);
      return started;
    } catch (error) {
      await end(started);
      const output = readLog().slice(-4_000);
      discard();
      throw new Error(`The server did not start:\n${output}`, { cause: error });
    }
  };
  const endWell = async () => {
    const code = await end(child);
    const output = readLog();
    // Colours or not, a level word in the log means that something went wrong under load.
    if (code === 0 && !/\b(WARN|ERROR|FATAL)\b/.test(output)) return;
    discard();
    throw new Error(`The server ended with code ${code} and this log:\n${output.slice(-4_000)}`);
  };

  let child = await launch();
  return {
    port,
    admin: (method, url, body) => request(port, ADMIN_TOKEN, method, url, body),
    async restart() {
      await endWell();
      child = await launch();
    },
    async stop() {
      await endWell();
      discard();
    },
  };
}

/** Registers resellers with a live token and more money than they can spend. */
export async function addResellers(server: BenchServer, count: number): Promise<BenchReseller[]> {
  const resellers: BenchReseller[] = [];
  for (let number = 1; number <= count; number++) {
    const { reseller_id: id } = await server.admin<{ reseller_id: string }>('POST', '/admin/api/reseller', {
      name: `Bench ${number}`,
      username: `bench-${number}`,
    });
    const issued = await server.admin<{ access_token: string; signing_secret: string }>(
      'POST',
      `/admin/api/reseller/${id}/credential`,
      { mode: 'live' },
    );
    await server.admin('POST', `/admin/api/reseller/${id}/deposit`, { amount: DEPOSIT, mode: 'live', reference: 'bench' });
    resellers.push({ token: issued.access_token, secret: issued.signing_secret });
  }
  return resellers;
}

/** What one order of the benchmark costs, from the catalogue. */
export async function readPrice(server: BenchServer, [reseller]: BenchReseller[]): Promise<number> {
  if (!reseller) throw new Error('No resellers to ask as.');
  const url = '/api/service?product_code=MLBB';
  const services = await requestAs<{ service_code: string; price: number }[]>(server, reseller, 'GET', url);
  const service = services.find(({ service_code: code }) => code === 'MLBB-85');
  if (!service) throw new Error('The catalogue has no MLBB-85.');
  return service.price;
}

/** A request to the reseller API; throws unless it is answered with 200. */
export function requestAs<Data>(
  server: BenchServer,
  reseller: BenchReseller,
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  body?: unknown,
): Promise<Data> {
  return request(server.port, reseller.token, method, url, body);
}

/** Everything of a paged list of the reseller API, page by page. */
export async function listAs<Item>(server: BenchServer, { token }: BenchReseller, url: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Answer<Item[]> = await fetchAnswer(server.port, token, 'GET', cursor === '' ? url : `${url}&cursor=${cursor}`);
    items.push(...page.data);
    cursor = page.pagination?.next_cursor ?? null;
  }
  return items;
}

async function request<Data>(port: number, token: string, method: string, url: string, body?: unknown): Promise<Data> {
  return (await fetchAnswer<Data>(port, token, method, url, body)).data;
}

interface Answer<Data> {
  data: Data;
  message: string;
  pagination?: { next_cursor: string | null };
}

async function fetchAnswer<Data>(
  port: number,
  token: string,
  method: string,
  url: string,
  body?: unknown,
): Promise<Answer<Data>> {
  const response = await fetch(`http://127.0.0.1:${port}${url}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  });
  const answer = (await response.json()) as Answer<Data>;
  if (response.status !== 200) throw new Error(`${method} ${url} was answered ${response.status}: ${answer.message}`);
  return answer;
}

/** Only what the case says: variables of the shell that runs the benchmark must not reach the server. */
function environment(options: { role: Role; databaseUrl: string | null; port: number; dataDir: string }) {
  const blank = Object.fromEntries(ENVIRONMENT_VARIABLES.map((name) => [name, '']));
  return {
    ...process.env,
    ...blank,
    PORT: String(options.port),
    DATA_DIR: options.dataDir,
    DATABASE_URL: options.databaseUrl ?? '',
    ROLE: options.role,
    RATE_LIMIT: '0',
    TOPGATE_ENV: 'development',
    ADMIN_TOKEN,
    MASTER_KEY,
  };
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const giveUpAt = performance.now() + START_LIMIT_MS;
  while (performance.now() < giveUpAt) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('The process ended.');
    const ready = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
    await ready?.arrayBuffer();
    if (ready?.status === 200) return;
    await delay(50);
  }
  throw new Error(`Not ready within ${START_LIMIT_MS} ms.`);
}

async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  const code = await ended;
  clearTimeout(hard);
  return code;
}
