import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { typed } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { timeField } from '../lib/answer-fields.ts';
import { type Clock, formatTime } from '../lib/clock.ts';
import { actorOf, recordAction } from '../operators/index.ts';
import type { JobState } from './job.ts';
import type { JobRunner } from './run-jobs.ts';

export interface JobRouteDeps {
  db: Db;
  clock: Clock;
  adminGate: onRequestAsyncHookHandler;
  view: { timeZone: string };
  /** Null in a process that schedules nothing. */
  jobs: JobRunner | null;
}

const TAGS = ['Operation'];
const STARTING = 'The schedule of jobs is not in force yet. Try again in a minute.';

const jobViewSchema = z
  .object({
    name: z.string(),
    cron: z.string().describe("Minute, hour, day, month, weekday, in the installation's time zone."),
    last_run: z
      .object({
        outcome: z.enum(['Running', 'Succeeded', 'Failed']),
        started_at: timeField,
        duration_ms: z.int().nullable().describe('Null while it runs.'),
      })
      .nullable()
      .describe('Of the last seven days.'),
  })
  .meta({
    id: 'Job',
    examples: [
      {
        name: 'expire-events',
        cron: '40 2 * * *',
        last_run: { outcome: 'Succeeded', started_at: '2026-03-01T02:40:15+07:00', duration_ms: 41 },
      },
    ],
  });
const requestViewSchema = z.object({ name: z.string() }).meta({ id: 'JobRequest', examples: [{ name: 'expire-events' }] });

/** What is due at times of the day: when it ran last, and having it run now. */
export function jobAdminRoutes(deps: JobRouteDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);

    app.get(
      '/admin/api/job',
      {
        schema: {
          tags: TAGS,
          operationId: 'listJobs',
          summary: 'Jobs of the night and of the hour, with their last run',
          response: { 200: successSchema(z.array(jobViewSchema), 'Jobs retrieved') },
          problems: ['overloaded'],
        },
      },
      async () => {
        const states = (await deps.jobs?.list()) ?? null;
        if (states === null) throw new Problem('overloaded', STARTING);
        return success(
          'Jobs retrieved',
          states.map((state) => jobView(state, deps.view.timeZone)),
        );
      },
    );

    app.post(
      '/admin/api/job/:name/run',
      {
        schema: {
          tags: TAGS,
          operationId: 'runJob',
          summary: 'Run a job now',
          description: 'In whichever worker takes it, within a minute. The list tells what came of it.',
          params: z.strictObject({ name: z.string().describe('As in the list of jobs.') }),
          response: { 200: successSchema(requestViewSchema, 'Job requested') },
          problems: ['not_found', 'conflict', 'overloaded'],
        },
      },
      async (request) => {
        const { name } = request.params;
        const states = (await deps.jobs?.list()) ?? null;
        if (deps.jobs === null || states === null) throw new Problem('overloaded', STARTING);
        if (!states.some((state) => state.name === name)) throw new Problem('not_found', `There is no job ${name}.`);
        const outcome = await deps.jobs.request(name);
        if (outcome === 'not_started') throw new Problem('overloaded', STARTING);
        if (outcome === 'busy') throw new Problem('conflict', `The job ${name} waits to run or is running.`);
        await inTransaction(deps.db, (tx) =>
          recordAction(tx, deps.clock, actorOf(request), { action: 'job.run', subject: name }),
        );
        return success('Job requested', { name });
      },
    );
  };
}

const OUTCOMES = { active: 'Running', completed: 'Succeeded', failed: 'Failed' } as const;

function jobView({ name, cron, lastRun }: JobState, timeZone: string): z.infer<typeof jobViewSchema> {
  if (lastRun === null) return { name, cron, last_run: null };
  const { state, startedAt, endedAt } = lastRun;
  return {
    name,
    cron,
    last_run: {
      outcome: OUTCOMES[state],
      started_at: formatTime(startedAt, timeZone),
      duration_ms: endedAt && endedAt.getTime() - startedAt.getTime(),
    },
  };
}
