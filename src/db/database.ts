import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** Runs statements outside a transaction. */
export type Db = Kysely<Tables>;

/** Reads. A replica takes nothing else, and the type keeps the plain ways of writing out of reach. */
export type ReadDb = Omit<Db, 'insertInto' | 'updateTable' | 'deleteFrom' | 'replaceInto' | 'mergeInto'>;

/** An open transaction. Functions that lock or that write several rows demand one, so the compiler asks for it. */
export type Tx = Transaction<Tables>;

/** An open database of either engine. */
export interface Database {
  readonly engine: 'embedded' | 'postgres';
  readonly db: Db;
  /** Runs SQL that consists of several statements, such as a migration, inside the given transaction. */
  runScript(tx: Tx, text: string): Promise<void>;
  /**
   * Runs SQL that is not ours, outside any transaction of ours: one statement with its values, or several that may hold a
   * transaction of their own. Answers the rows of all.
   */
  runForeign(text: string, values: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Tells every process that listens on `channel`. Nothing is guaranteed: listeners also look by themselves. */
  notify(channel: Channel): Promise<void>;
  /** Calls `onNotify` whenever a process notifies `channel`; answers how to stop. */
  listen(channel: Channel, onNotify: () => void): () => void;
  /**
   * Tells other processes that a worker runs here, until the database is closed. Answers true when it is the only one: orders
   * that are held then are held by the dead.
   */
  announceWorker(): Promise<boolean>;
  close(): Promise<void>;
}

/** `work`: orders are due. */
export type Channel = 'work';
