import type { Database } from '../db/database.ts';
import { migrate, readSchemaState, refuseUnusable } from '../db/migrate.ts';
import { openEmbedded } from '../db/open.ts';
import { openPostgres } from '../db/postgres.ts';
import { SECOND_MS, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { StartError } from '../lib/start-error.ts';
import { printBanner } from './banner.ts';
import type { Config } from './config.ts';
import { prepareDemo } from './demo.ts';
import { createLog } from './log.ts';
import { openService, type Service } from './service.ts';
import { VERSION } from './version.ts';

const EXIT_LIMIT_MS = 30 * SECOND_MS;

/** Runs the service until it is told to stop; resolves when it has stopped cleanly. */
export async function serve(config: Config): Promise<void> {
  const log = createLog(config.env);
  const database = await openDatabase(config, log);
  try {
    await prepareSchema(config, database, log);
    const demo =
      config.env === 'development' && config.role !== 'worker' ? await prepareDemo(config, database, systemClock) : null;
    const service = await openService({
      config,
      database,
      clock: systemClock,
      log,
      version: VERSION,
      runsJobs: true,
      watchesClock: true,
    });
    try {
      const stopped = untilToldToStop();
      const address = await listen(service, config);
      printBanner({ config, address, engine: database.engine, demo });
      log.info({ version: VERSION, role: config.role, engine: database.engine }, `Topgate ${VERSION} is up.`);
      log.info({}, `Stopping (${await stopped}): finishing what is in flight.`);
    } finally {
      await stop(service, log);
    }
  } finally {
    await database.close();
  }
  log.info({}, 'Stopped.');
}

async function listen(service: Service, { port, host }: Config): Promise<string> {
  try {
    return await service.app.listen({ port, host });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new StartError(`Port ${port} is taken by another program: stop it, or set another PORT.`);
    throw error;
  }
}

async function stop(service: Service, log: Log): Promise<void> {
  const hardStop = setTimeout(() => {
    log.error({}, 'Stopping took too long; leaving now. Nothing is lost: unfinished work is taken up at the next start.');
    process.exit(1);
  }, EXIT_LIMIT_MS);
  hardStop.unref();
  await service.stop();
}

type DatabasePlace = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>;

export async function openDatabase(config: DatabasePlace, log: Log): Promise<Database> {
  const { databaseUrl: url, databaseDirectUrl: directUrl } = config;
  if (url !== null) return openPostgres({ url, directUrl, clock: systemClock, log });
  return openEmbedded({ directory: config.dataDir, clock: systemClock, log });
}

async function prepareSchema(config: Config, database: Database, log: Log): Promise<void> {
  if (config.env === 'development') {
    const applied = await migrate(database);
    if (applied.length > 0) log.info({ migrations: applied }, `Database prepared (${applied.length} migrations).`);
    return;
  }
  const state = await readSchemaState(database.db);
  refuseUnusable(state);
  if (state.kind === 'behind') {
    throw new StartError(
      `The database needs ${state.pending.length} migrations (${state.pending.join(', ')}). Back it up, then run: npm run topgate -- migrate`,
    );
  }
}

/** Resolves with the reason when the process is asked to stop: by a signal, or by the death of the launcher that started it. */
function untilToldToStop(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal));
    process.on('disconnect', () => resolve('the launcher is gone'));
  });
}
