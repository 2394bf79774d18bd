import { sql } from 'kysely';
import { CommandError, type DatabaseFacts, type Installation, run } from '../cli/index.ts';
import type { Database } from '../db/database.ts';
import { migrate, readSchemaState } from '../db/migrate.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { readConfig, StartError } from './config.ts';
import { VERSION } from './version.ts';

/** Stand in for the secrets where none is used, so that looking at an installation does not make them. */
const UNUSED_SECRETS = { ADMIN_TOKEN: 'unused-here', MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };

/** Beginnings of messages that say all there is to say; rooms below the command line throw them as plain errors. */
const EXPECTED = [/^The data directory .* is in use/, /^The database has schema version/, /^The migration .* differs/];
const EXPECTED_OF_POSTGRES = [/^The PostgreSQL server would lose/, /^Topgate needs PostgreSQL/];

const installation: Installation = {
  serve: () =>
    explained(async () => {
      // Loaded only here: the commands that merely ask over HTTP start in a fraction of the time without the server.
      const { serve } = await import('./serve.ts');
      await serve(readConfig(process.env));
      process.exit(0);
    }),

  readSettings() {
    try {
      const { TOPGATE_ENV } = process.env;
      return readConfig(TOPGATE_ENV === 'production' ? process.env : withoutSecrets());
    } catch (error) {
      throw explain(error);
    }
  },

  migrate: () => explained(() => withDatabase(migrate)),

  inspectDatabase: () => explained(() => withDatabase(inspect)),

  async sign(order, signingSecret) {
    const { sign } = await import('../resellers/index.ts');
    return sign(order, signingSecret);
  },
};

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  version: VERSION,
  nodeVersion: process.versions.node,
  installation,
});

async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const { openDatabase } = await import('./serve.ts');
  const database = await openDatabase(readConfig(withoutSecrets()), silentLog);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function inspect({ db, engine }: Database): Promise<DatabaseFacts> {
  const { rows } = await sql<{ version: string; now: Date }>`
    select current_setting('server_version') as version, clock_timestamp() as now`.execute(db);
  const schema = await readSchemaState(db);
  const services =
    schema.kind === 'current'
      ? await sql<{ total: number; withoutRoute: number }>`
          select count(*)::int as total,
                 (count(*) filter (where not exists (select from routes where service_code = services.code)))::int as "withoutRoute"
          from services where status = 'Available'`.execute(db)
      : null;
  const [server] = rows;
  if (!server) throw new Error('Invariant broken: a query without a table has one row');
  return { engine, schema, ...server, services: services?.rows[0] ?? null };
}

function withoutSecrets(): Record<string, string | undefined> {
  const { ADMIN_TOKEN, MASTER_KEY } = process.env;
  return {
    ...process.env,
    ADMIN_TOKEN: ADMIN_TOKEN || UNUSED_SECRETS.ADMIN_TOKEN,
    MASTER_KEY: MASTER_KEY || UNUSED_SECRETS.MASTER_KEY,
  };
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explain(error);
  }
}

/** Failures a person can do something about become messages; bugs keep their stack. */
function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof StartError || [...EXPECTED, ...EXPECTED_OF_POSTGRES].some((pattern) => pattern.test(error.message)))
    return new CommandError(error.message, { cause: error });
  const code = 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE')
    return new CommandError('The port is taken by another program: stop it, or set another PORT.', { cause: error });
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'ETIMEDOUT')
    return new CommandError(`The database server does not answer (${code}). Check DATABASE_URL, and that it is up.`, {
      cause: error,
    });
  return error;
}
