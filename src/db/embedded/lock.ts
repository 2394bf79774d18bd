import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, type Clock, systemClock } from '../../lib/clock.ts';
import { StartError } from '../../lib/start-error.ts';

/**
 * The embedded engine does not guard its own directory: two processes would both acknowledge writes, and one's would vanish.
 * So a lock file names the owner. Its owner is alive when the process exists with the same start time (process ids are
 * reused, above all in containers), or, on another host, when the file was touched a moment ago.
 */
interface Owner {
  pid: number;
  host: string;
  /** When the process started, as the kernel tells it; null where it does not. */
  startedAt: string | null;
}

export interface DirectoryLock {
  release(): void;
}

const HEARTBEAT_MS = 5_000;
const FOREIGN_STALE_MS = 30_000;
const PATIENCE_MS = 8_000;
const RETRY_MS = 200;

/**
 * Takes the lock, or throws an error that says who holds it. A lock left by a killed process is taken over at once; one that is
 * held is waited for a moment, because its holder may be on its way out, as in every restart.
 */
export async function lockDirectory(directory: string, clock: Clock): Promise<DirectoryLock> {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, 'topgate.lock');
  const giveUpAt = after(clock.now(), PATIENCE_MS);
  for (;;) {
    if (tryCreate(file)) return hold(file);
    const holder = read(file);
    if (holder === null) continue;
    if (!isAlive(holder.owner, file)) removeStale(file, holder.text);
    else if (clock.now() >= giveUpAt) throw new StartError(describeHolder(directory, holder.owner));
    else await clock.sleep(RETRY_MS);
  }
}

function hold(file: string): DirectoryLock {
  // Throws, and so ends the process, when somebody removed the file: a lock that is gone keeps nobody out any more.
  const heartbeat = setInterval(() => fs.utimesSync(file, systemClock.now(), systemClock.now()), HEARTBEAT_MS);
  heartbeat.unref();
  return {
    release() {
      clearInterval(heartbeat);
      fs.rmSync(file, { force: true });
    },
  };
}

/** Creates the file whole or not at all: a hard link appears with its content, and fails when the name is taken. */
function tryCreate(file: string): boolean {
  const owner: Owner = { pid: process.pid, host: os.hostname(), startedAt: startOf(process.pid) };
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, JSON.stringify(owner));
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

function read(file: string): { owner: Owner; text: string } | null {
  try {
    const text = fs.readFileSync(file, 'utf8');
    return { owner: JSON.parse(text) as Owner, text };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StartError(`The lock file ${file} cannot be read. If no Topgate runs on this directory, delete the file.`, {
      cause: error,
    });
  }
}

/** Moves the stale file aside first, so that of two processes that found it only one goes on to replace it. */
function removeStale(file: string, staleText: string): void {
  const aside = `${file}.stale.${process.pid}`;
  try {
    fs.renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const movedAnotherOwner = fs.readFileSync(aside, 'utf8') !== staleText;
  if (movedAnotherOwner && !fs.existsSync(file)) fs.linkSync(aside, file);
  fs.rmSync(aside, { force: true });
}

function isAlive(owner: Owner, file: string): boolean {
  if (owner.host !== os.hostname()) return fs.statSync(file).mtimeMs > systemClock.now().getTime() - FOREIGN_STALE_MS;
  // A container's processes have few ids, so a restarted Topgate often meets its own id in the file it left behind.
  if (owner.pid === process.pid) return owner.startedAt === null || owner.startedAt === startOf(process.pid);
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return owner.startedAt === null || owner.startedAt === startOf(owner.pid);
}

/** Field 22 of /proc/<pid>/stat: clock ticks between boot and the start of the process. Only Linux has it. */
function startOf(pid: number): string | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function describeHolder(directory: string, owner: Owner): string {
  return (
    `The data directory ${directory} is in use by another Topgate (process ${owner.pid} on ${owner.host}). ` +
    'Stop that one, or give this one its own DATA_DIR. To run several processes, set DATABASE_URL to a PostgreSQL server.'
  );
}
