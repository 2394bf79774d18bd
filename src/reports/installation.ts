import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { readSchemaState, type SchemaState } from '../db/migrate.ts';
import { required } from '../lib/assert.ts';

/** What an operator's check-up wants to know of a database. */
export interface Installation {
  engine: Database['engine'];
  /** The version of the database engine. */
  version: string;
  /** The database's own clock. */
  now: Date;
  schema: SchemaState;
  /** Services that can be ordered, and how many of them have no route; null while the schema is not current. */
  services: { total: number; withoutRoute: number } | null;
}

export async function readInstallation({ db, engine }: Database): Promise<Installation> {
  const { rows } = await sql<{ version: string; now: Date }>`
    select current_setting('server_version') as version, clock_timestamp() as now`.execute(db);
  const schema = await readSchemaState(db);
  const services = schema.kind === 'current' ? await countServices({ db }) : null;
  return { engine, schema, ...required(rows[0], 'the row of a query without a table'), services };
}

async function countServices({ db }: Pick<Database, 'db'>): Promise<Installation['services']> {
  const { rows } = await sql<{ total: number; withoutRoute: number }>`
    select count(*)::int as total,
           (count(*) filter (where not exists (select from routes where service_code = services.code)))::int as "withoutRoute"
    from services where status = 'Available'`.execute(db);
  return rows[0] ?? null;
}
