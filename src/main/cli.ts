import { CommandError, type Installation, run } from '../cli/index.ts';
import type { Database } from '../db/database.ts';
import { migrate } from '../db/migrate.ts';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { StartError } from '../lib/start-error.ts';
import { readInstallation } from '../reports/index.ts';
import { readConfig } from './config.ts';
import { terminalInput } from './terminal-input.ts';
import { VERSION } from './version.ts';

/** Stand in for the secrets where none is used, so that looking at an installation does not make them. */
const UNUSED_SECRETS = { ADMIN_TOKEN: 'unused-here', MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };

let isServer = false;

const installation: Installation = {
  serve: () =>
    explained(async () => {
      isServer = true;
      // Loaded only here: the commands that merely ask over HTTP start in a fraction of the time without the server.
      const { serve } = await import('./serve.ts');
      await serve(readConfig(process.env));
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

  inspectDatabase: () => explained(() => withDatabase(readInstallation)),
};

// Whoever reads our output may have seen enough, as `head` has: that is no failure of ours. Anything else is.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (!isServer) process.exit(0);
});

const exitCode = await run(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  input: terminalInput,
  clock: systemClock,
  version: VERSION,
  nodeVersion: process.versions.node,
  installation,
  interruption,
});
// A server that could not start may have workers left that would keep the process; every other command ends by itself.
if (isServer) process.exit(exitCode);
process.exitCode = exitCode;

/** Also the launcher's death counts. A repeated signal does nothing more: a terminal sends it to launcher and program alike. */
function interruption(): AbortSignal {
  const ending = new AbortController();
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.on(event, () => ending.abort());
  // Listening to the launcher must not keep the process when its work is done.
  process.channel?.unref();
  return ending.signal;
}

async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const { openDatabase } = await import('./serve.ts');
  const database = await openDatabase(readConfig(withoutSecrets()), silentLog);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
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
  if (error instanceof StartError) return new CommandError(error.message, { cause: error });
  const code = 'code' in error ? error.code : null;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'ETIMEDOUT')
    return new CommandError(`The database server does not answer (${code}). Check DATABASE_URL, and that it is up.`, {
      cause: error,
    });
  return error;
}
