import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openMemory } from '../../src/db/embedded/engine.ts';
import { quantile } from '../load/numbers.ts';

/** What the numbers were measured on; without it they mean nothing. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  platform: string;
  node: string;
  /** The load average of the minute before: what other programs took. */
  load: number;
  disk: string;
  fsync: Fsync;
}

export interface Fsync {
  p50Ms: number;
  p99Ms: number;
}

const FSYNC_ROUNDS = 1_000;
const FSYNC_LIMIT_MS = 3_000;
/** The block size of PostgreSQL's log. */
const BLOCK_BYTES = 8_192;

export function readMachine(): Machine {
  return {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    platform: `${os.type()} ${os.release()}, ${os.arch()}`,
    node: process.version,
    load: os.loadavg()[0] ?? 0,
    disk: describeDisk(),
    fsync: measureFsync(),
  };
}

/**
 * The price of one commit: write and fsync, in the folder where every case keeps its data. Everything durable is bounded by
 * it, so it stands next to every result. The file has its full size before, like a recycled segment of the log: a growing
 * file costs more, and a database avoids that.
 */
function measureFsync(): Fsync {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-fsync-'));
  const file = fs.openSync(path.join(folder, 'probe'), 'w');
  const block = Buffer.alloc(BLOCK_BYTES, 1);
  const times: number[] = [];
  fs.writeSync(file, Buffer.alloc(BLOCK_BYTES * FSYNC_ROUNDS));
  fs.fsyncSync(file);
  const giveUpAt = performance.now() + FSYNC_LIMIT_MS;
  try {
    while (times.length < FSYNC_ROUNDS && performance.now() < giveUpAt) {
      const startedAt = performance.now();
      fs.writeSync(file, block, 0, BLOCK_BYTES, times.length * BLOCK_BYTES);
      fs.fsyncSync(file);
      times.push(performance.now() - startedAt);
    }
  } finally {
    fs.closeSync(file);
    fs.rmSync(folder, { recursive: true });
  }
  times.sort((left, right) => left - right);
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
}

/** The device and file system under the temporary folder, as far as Linux tells. */
function describeDisk(): string {
  try {
    const folder = fs.realpathSync(os.tmpdir());
    const mounts = fs.readFileSync('/proc/mounts', 'utf8').split('\n');
    const fitting = mounts
      .map((line) => line.split(' '))
      .filter(([, point]) => point !== undefined && `${folder}/`.startsWith(point === '/' ? '/' : `${point}/`))
      .toSorted(([, left], [, right]) => (right?.length ?? 0) - (left?.length ?? 0));
    const [device, , fileSystem, options] = fitting[0] ?? [];
    return `${device}, ${fileSystem} (${options?.split(',').slice(0, 3).join(',')})`;
  } catch {
    return 'unknown';
  }
}

/** What `select version()` answers on the embedded engine, with the version of the package that carries it. */
export async function readEmbeddedVersion(): Promise<string> {
  const session = await openMemory();
  const [answer] = await session.run([{ text: 'select version() as version', parameters: [] }]);
  await session.close();
  const manifest = new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url);
  const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as { version: string };
  return `PGlite ${version}: ${Object.values(answer?.rows[0] ?? {}).join()}`;
}
