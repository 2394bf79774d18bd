import { sql } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Db, Tx } from './database.ts';

/**
 * What processes keep in memory, by subject. A change bumps its topic's number in the same transaction; every process reads
 * the few numbers several times a second and drops what is out of date. So a revoked token or a changed price acts
 * everywhere within a second, for one tiny query per process instead of one per request.
 */
export type Topic = 'access' | 'catalog' | 'suppliers' | 'settings';

const POLL_EVERY_MS = 250;

export async function bumpRevision(tx: Tx, topic: Topic): Promise<void> {
  await sql`update revisions set value = value + 1 where topic = ${topic}`.execute(tx);
}

/** Has whoever else changes this topic wait until the transaction ends, so that what is read from here on stays so. */
export async function lockTopic(tx: Tx, topic: Topic): Promise<void> {
  await sql`select from revisions where topic = ${topic} for update`.execute(tx);
}

export interface RevisionWatch {
  /** `reload` runs now, and again whenever the topic's number has changed. */
  subscribe(topic: Topic, reload: () => Promise<void>): Promise<void>;
  /** Looks at once: the process that made a change sees it before it answers. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

export function watchRevisions(db: Db, clock: Clock, log: Log): RevisionWatch {
  const subscribers: { topic: Topic; reload: () => Promise<void> }[] = [];
  const stopping = new AbortController();
  let known = new Map<string, bigint>();
  let checking: Promise<void> = Promise.resolve();

  const look = async () => {
    const current = await readRevisions(db);
    for (const { topic, reload } of subscribers) {
      if (current.get(topic) !== known.get(topic)) await reload();
    }
    // Only now: a reload that failed is tried again at the next look.
    known = current;
  };

  const check = (): Promise<void> => {
    checking = checking.then(look, look);
    return checking;
  };

  const poll = async () => {
    while (!stopping.signal.aborted) {
      await clock.sleep(POLL_EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        await check();
      } catch (error) {
        log.error({ err: error }, 'Could not look for changed settings; trying again.');
      }
    }
  };

  const polling = poll();
  return {
    async subscribe(topic, reload) {
      subscribers.push({ topic, reload });
      await reload();
    },
    check,
    async stop() {
      stopping.abort();
      await polling;
      await checking.catch(() => undefined);
    },
  };
}

async function readRevisions(db: Db): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ topic: string; value: bigint }>`select topic, value from revisions`.execute(db);
  return new Map(rows.map(({ topic, value }) => [topic, value]));
}
