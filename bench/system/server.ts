import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ENVIRONMENT_VARIABLES } from '../../src/main/config.ts';
import { freePort } from '../../test/support/postgres-server.ts';
import { ask } from './admin.ts';
import { atEnd } from './cleanup.ts';

export type Role = 'all' | 'api' | 'worker';

/** The real service in a process of its own, with its data in a temporary folder. */
export interface BenchServer {
  port: number;
  pid(): number;
  /** From the start of the process to its first 200 of /health/ready. */
  startMs: number;
  /** A request to the admin API; throws unless it is answered with 200. */
  admin<Data>(method: 'GET' | 'POST', url: string, body?: unknown): Promise<Data>;
  /** Ends it and starts another on the same data, which shares nothing with it but the disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  role: Role;
  /** Null: the embedded engine. Several processes may share one address. */
  databaseUrl: string | null;
  /** Where the embedded engine has its data; left out: a fresh folder, which goes with the server. */
  dataDir?: string | null;
}

const COMMAND_LINE = path.join(import.meta.dirname, '../../src/main/cli.ts');
export const ADMIN_TOKEN = 'bench-admin-token';
/** The same for all processes of a case, and for the installations they are copied from. */
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 40_000;
const LOOK_EVERY_MS = 10;

/** Starts `topgate serve`, on the embedded engine or on a PostgreSQL database, and waits until it takes orders. */
export async function startServer(options: ServerOptions): Promise<BenchServer> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-server-'));
  const logFile = path.join(home, 'server.log');
  const port = await freePort();
  const env = environment({ ...options, port, dataDir: options.dataDir ?? path.join(home, 'data') });
  const discard = () => fs.rmSync(home, { recursive: true, force: true });

  const launch = async (): Promise<{ child: ChildProcess; startMs: number }> => {
    const log = fs.openSync(logFile, 'a');
    const startedAt = performance.now();
    const started = spawn(process.execPath, [COMMAND_LINE, 'serve'], { env, stdio: ['ignore', log, log] });
    fs.closeSync(log);
    atEnd(() => end(started));
    try {
      await untilReady(started, port);
      return { child: started, startMs: performance.now() - startedAt };
    } catch (error) {
      await end(started);
      throw new Error(`The server did not start:\n${fs.readFileSync(logFile, 'utf8').slice(-4_000)}`, { cause: error });
    }
  };
  const endWell = async () => {
    const code = await end(running.child);
    const output = fs.readFileSync(logFile, 'utf8');
    // Colours or not, a level word in the log means that something went wrong under load.
    if (code === 0 && !/\b(WARN|ERROR|FATAL)\b/.test(output)) return;
    throw new Error(`The server ended with code ${code} and this log:\n${output.slice(-4_000)}`);
  };

  let running = await launch();
  return {
    port,
    pid: () => running.child.pid ?? 0,
    startMs: running.startMs,
    admin: async <Data>(method: 'GET' | 'POST', url: string, body?: unknown) =>
      (await ask<Data>(port, ADMIN_TOKEN, method, url, body)).data,
    async restart() {
      await endWell();
      running = await launch();
    },
    async stop() {
      await endWell();
      discard();
    },
  };
}

/** Only what the case says: variables of the shell that runs the benchmark must not reach the server. */
function environment(options: ServerOptions & { port: number; dataDir: string }) {
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
    await delay(LOOK_EVERY_MS);
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
