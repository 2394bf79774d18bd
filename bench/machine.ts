import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** What the numbers were measured on; without it they mean nothing. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  platform: string;
  node: string;
  /** The load average of the minute before: what other programs took. */
  load: number;
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
const TMPFS = 0x01021994;

export function readMachine(): Machine {
  return {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    platform: `${os.type()} ${os.release()}, ${os.arch()}`,
    node: process.version,
    load: os.loadavg()[0] ?? 0,
    fsync: measureFsync(),
  };
}

/**
 * The price of one commit: write and fsync, in the folder where every case keeps its data. Everything durable is bounded by
 * it, so it stands next to every result. The file has its full size before, like a recycled segment of the log: a growing
 * file costs more, and a database avoids that.
 */
function measureFsync(): Fsync {
  if (fs.statfsSync(os.tmpdir()).type === TMPFS)
    throw new Error(`${os.tmpdir()} is in memory, so nothing would be durable. Set TMPDIR to a folder on a disk.`);
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
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
