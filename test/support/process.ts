import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { SECOND_MS, systemClock } from '../../src/lib/clock.ts';
import { ADMIN_TOKEN } from './service.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const START_LIMIT_MS = 40 * SECOND_MS;
const POLL_MS = 25;

/** The real server in a process of its own, as an operator runs it. */
export interface ServerProcess {
  url: string;
  /** Everything it printed. */
  output(): string;
  /** Sends the signal and resolves with the exit code (null after SIGKILL) when the process is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

/** Starts the server and waits until it is ready to take orders. */
export async function startServer(settings: {
  port: number;
  dataDir: string;
  databaseUrl?: string | null;
  role?: 'all' | 'api' | 'worker';
}): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['src/main/cli.ts', 'serve'], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      PORT: String(settings.port),
      DATA_DIR: settings.dataDir,
      DATABASE_URL: settings.databaseUrl ?? '',
      ROLE: settings.role ?? 'all',
      ADMIN_TOKEN,
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      RATE_LIMIT: '0',
      TOPGATE_ENV: 'development',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  const url = `http://127.0.0.1:${settings.port}`;
  const output = () => chunks.join('');
  await ready(child, url, output);
  return { url, output, end: (signal) => end(child, signal) };
}

async function ready(child: ChildProcess, url: string, output: () => string): Promise<void> {
  const giveUpAt = systemClock.now().getTime() + START_LIMIT_MS;
  for (;;) {
    const answer = await fetch(`${url}/health/ready`).catch(() => null);
    if (answer?.ok) return;
    const gone = child.exitCode !== null || child.signalCode !== null;
    if (gone || systemClock.now().getTime() > giveUpAt) throw new Error(`The server did not start:\n${output()}`);
    await systemClock.sleep(POLL_MS);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  child.kill(signal);
  return exited;
}
