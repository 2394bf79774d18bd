import type { Db } from '../db/database.ts';
import { startBatchWriter } from '../lib/batch-writer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { RequestBuffer } from './request-buffer.ts';
import { insertRequests } from './store.ts';

export interface WriterDeps {
  db: Db;
  clock: Clock;
  log: Log;
  buffer: RequestBuffer;
}

const WRITE_BATCH = 200;

/** Writes what waits once a second. */
export function startWriter({ db, clock, log, buffer }: WriterDeps): { stop(): Promise<void> } {
  return startBatchWriter({
    clock,
    log,
    waiting: buffer,
    write: (entries) => insertRequests(db, entries),
    batch: WRITE_BATCH,
    complaint: 'The request log could not keep up and has gaps; nothing else is affected.',
  });
}
