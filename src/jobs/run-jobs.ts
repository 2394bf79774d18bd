import type { PgBoss } from 'pg-boss';
import type { Database } from '../db/database.ts';
import { required } from '../lib/assert.ts';
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { finishWithin } from '../lib/work-loop.ts';
import type { Job, JobState, JobTotals } from './job.ts';

export interface JobsDeps {
  database: Database;
  clock: Clock;
  log: Log;
  timeZone: string;
  jobs: Job[];
  /** Whether this process runs jobs; if not it can only ask for runs and look at them. */
  isWorker: boolean;
}

export interface JobRunner {
  readonly totals: JobTotals;
  /** Null while the schedule is not in force yet. */
  list(): Promise<JobState[] | null>;
  /** Asks for a run now, in whichever worker; `busy` when one waits or is under way already. */
  request(name: string): Promise<'requested' | 'busy' | 'not_started'>;
  /** Begins no more runs and waits, at most `limitMs`, for the one under way; what is cut off is made up by the next. */
  stop(limitMs: number): Promise<void>;
}

const SCHEMA = 'pgboss';
const seconds = (durationMs: number) => durationMs / SECOND_MS;
/** An idle installation asks little: jobs run some times a day, so nobody misses the minute between a time and its run. */
const LOOK_EVERY = seconds(MINUTE_MS);
/** The longest that pg-boss takes for these. */
const CRON_EVERY = 45;
const TIDY_EVERY = seconds(HOUR_MS);
/** A run that takes longer than this is taken for dead, and the next may begin. */
const LONGEST_RUN = seconds(2 * HOUR_MS);

/**
 * Runs jobs at their times, each in one process at a time however many workers there are: pg-boss keeps schedule, queue and
 * outcomes in the database, in a schema of its own. Starting it holds up nobody; should it fail, it is tried again.
 */
export function startJobs(deps: JobsDeps): JobRunner {
  const { clock, log, jobs } = deps;
  const totals = Object.fromEntries(jobs.map(({ name }) => [name, { succeeded: 0, failed: 0 }]));
  const stopping = new AbortController();
  let boss: PgBoss | null = null;
  const workers = new Map<string, string>();

  const perform = async (job: Job) => {
    const startedAt = clock.now().getTime();
    const total = totals[job.name] ?? { succeeded: 0, failed: 0 };
    try {
      const result = await job.run();
      total.succeeded += 1;
      log.info({ job: job.name, durationMs: clock.now().getTime() - startedAt, ...result }, 'A job has ended.');
    } catch (error) {
      total.failed += 1;
      log.error({ job: job.name, err: error }, 'A job failed; it runs again at its next time.');
      throw error;
    }
  };

  /** Answers whether the schedule is in force. */
  const tryToStart = async (): Promise<boolean> => {
    const made = await createBoss(deps);
    try {
      // Without a schedule there is nothing to look at or to ask for; the first worker installs it.
      if (!deps.isWorker && !(await made.isInstalled())) return false;
      await made.start();
      if (deps.isWorker) await schedule(made, deps, workers, perform);
      boss = made;
      return true;
    } catch (error) {
      await made.stop({ graceful: false, close: false }).catch(() => undefined);
      log.warn({ err: error }, 'The jobs could not be scheduled yet; trying again in a minute.');
      return false;
    }
  };
  const start = async () => {
    while (!stopping.signal.aborted && !(await tryToStart())) await clock.sleep(MINUTE_MS, stopping.signal);
  };
  const started = start();

  return {
    totals,
    list: async () => (boss === null ? null : Promise.all(jobs.map((job) => readState(required(boss, 'the scheduler'), job)))),
    async request(name) {
      if (boss === null) return 'not_started';
      if ((await boss.send(name)) === null) return 'busy';
      const worker = workers.get(name);
      if (worker !== undefined) boss.notifyWorker(worker);
      return 'requested';
    },
    async stop(limitMs) {
      stopping.abort();
      const ending = started.then(() => boss?.stop({ graceful: true, close: false, timeout: limitMs }));
      await finishWithin(clock, limitMs, ending);
    },
  };
}

async function createBoss({ database, log, isWorker }: JobsDeps): Promise<PgBoss> {
  // Loaded only where jobs run, and after the start.
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    db: { executeSql: async (text, values = []) => ({ rows: (await database.runForeign(text, values)).map(withoutBigints) }) },
    backend: database.engine === 'embedded' ? 'pglite' : 'postgres',
    schema: SCHEMA,
    // Only workers change anything by themselves.
    schedule: isWorker,
    supervise: isWorker,
    migrate: isWorker,
    cronMonitorIntervalSeconds: CRON_EVERY,
    cronWorkerIntervalSeconds: CRON_EVERY,
    superviseIntervalSeconds: TIDY_EVERY,
    monitorIntervalSeconds: TIDY_EVERY,
    maintenanceIntervalSeconds: TIDY_EVERY,
    queueCacheIntervalSeconds: TIDY_EVERY,
    bamIntervalSeconds: TIDY_EVERY,
    flowIntervalSeconds: TIDY_EVERY,
    // Some rows a day make no bloat.
    reindex: false,
    monitorVacuum: false,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'The schedule of jobs met a failure; it looks again.'));
  return boss;
}

async function schedule(
  boss: PgBoss,
  { jobs, timeZone }: JobsDeps,
  workers: Map<string, string>,
  perform: (job: Job) => Promise<void>,
): Promise<void> {
  for (const job of jobs) {
    // One run waits or is under way, whoever asks for another.
    await boss.createQueue(job.name, { policy: 'exclusive', retryLimit: 0, expireInSeconds: LONGEST_RUN });
    await boss.schedule(job.name, job.cron, null, { tz: timeZone, missed: 'once' });
    workers.set(job.name, await boss.work(job.name, { pollingIntervalSeconds: LOOK_EVERY }, () => perform(job)));
  }
  const known = new Set(jobs.map(({ name }) => name));
  for (const { name } of await boss.getSchedules()) if (!known.has(name)) await boss.unschedule(name);
}

async function readState(boss: PgBoss, { name, cron }: Job): Promise<JobState> {
  const runs = (await boss.findJobs(name)).filter(({ startedOn }) => startedOn !== null);
  const last = runs.toSorted((one, other) => other.startedOn.getTime() - one.startedOn.getTime())[0];
  if (last === undefined) return { name, cron, lastRun: null };
  const state = last.state === 'completed' || last.state === 'active' ? last.state : 'failed';
  return { name, cron, lastRun: { state, startedAt: last.startedOn, endedAt: last.completedOn } };
}

/** Our int8 is a bigint, as money is; pg-boss counts with what `pg` gives by default, which is text. */
function withoutBigints(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, typeof value === 'bigint' ? String(value) : value]));
}
