import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { StartError } from '../lib/start-error.ts';
import type { Database, Db } from './database.ts';
import { inTransaction } from './transaction.ts';

/** Forward-only SQL files, `NNNN-name.sql`, applied in order, each exactly once. */
const DIRECTORY = path.join(import.meta.dirname, '../../migrations');
/** Any fixed number: processes that migrate at the same moment queue behind this advisory lock. */
const LOCK_KEY = 784_531_220;

interface Migration {
  version: number;
  name: string;
  text: string;
  checksum: string;
}

/** How the database's schema relates to this code's. */
export type SchemaState =
  | { kind: 'current' }
  | { kind: 'behind'; pending: string[] }
  | { kind: 'ahead'; version: number }
  | { kind: 'changed'; name: string };

/** Applies every migration that is missing, in one transaction, and answers their names. */
export async function migrate(database: Database): Promise<string[]> {
  const migrations = await readMigrations();
  return inTransaction(database.db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(tx);
    await sql`
      create table if not exists schema_migrations (
        version integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz not null default now()
      )`.execute(tx);
    const state = compare(migrations, await readApplied(tx));
    refuseUnusable(state);
    const pending = state.kind === 'behind' ? state.pending : [];
    for (const migration of migrations.filter(({ name }) => pending.includes(name))) {
      await database.runScript(tx, migration.text);
      await sql`insert into schema_migrations (version, name, checksum)
                values (${migration.version}, ${migration.name}, ${migration.checksum})`.execute(tx);
    }
    return pending;
  });
}

/** Compares the schema with the code, without changing anything. */
export async function readSchemaState(db: Db): Promise<SchemaState> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass('schema_migrations') is not null as found`.execute(db);
  return compare(await readMigrations(), rows[0]?.found ? await readApplied(db) : []);
}

/** Throws when this code must not run on the schema: an older Topgate on a newer database would misread it. */
export function refuseUnusable(state: SchemaState): void {
  if (state.kind === 'ahead') {
    throw new StartError(
      `The database has schema version ${state.version}, which this Topgate does not know. Run the newer Topgate that made it, or restore a backup.`,
    );
  }
  if (state.kind === 'changed') {
    throw new StartError(
      `The migration ${state.name} differs from the one that was applied. Restore the original file: applied migrations never change.`,
    );
  }
}

function compare(migrations: Migration[], applied: { version: number; checksum: string }[]): SchemaState {
  const newest = Math.max(0, ...applied.map(({ version }) => version));
  if (newest > (migrations.at(-1)?.version ?? 0)) return { kind: 'ahead', version: newest };
  for (const { version, checksum } of applied) {
    const migration = migrations.find((candidate) => candidate.version === version);
    if (migration && migration.checksum !== checksum) return { kind: 'changed', name: migration.name };
  }
  const pending = migrations.filter(({ version }) => !applied.some((row) => row.version === version));
  return pending.length === 0 ? { kind: 'current' } : { kind: 'behind', pending: pending.map(({ name }) => name) };
}

async function readApplied(db: Db): Promise<{ version: number; checksum: string }[]> {
  const { rows } = await sql<{ version: number; checksum: string }>`
    select version, checksum from schema_migrations order by version`.execute(db);
  return rows;
}

async function readMigrations(): Promise<Migration[]> {
  const files = (await fs.readdir(DIRECTORY)).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await fs.readFile(path.join(DIRECTORY, file), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { version: Number(file.slice(0, 4)), name: file.slice(0, -'.sql'.length), text, checksum };
    }),
  );
}
