import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { success, successSchema } from './envelope.ts';
import { Problem } from './problems.ts';

export interface HealthDeps {
  /** Rejects when the database does not answer. */
  ping: () => Promise<void>;
  /** Whether reports are read from a replica now. */
  replica: () => (typeof REPLICA_STATES)[number];
}

/** A replica that is away or behind is no reason not to take orders. */
const REPLICA_STATES = ['none', 'in_use', 'behind', 'away'] as const;

const readySchema = z
  .object({
    status: z.literal('ready'),
    replica: z
      .enum(REPLICA_STATES)
      .describe('The read replica: not set, in use, further behind than reports may be, or not answering.'),
  })
  .meta({ examples: [{ status: 'ready', replica: 'none' }] });

const OPEN = { tags: ['Operation'], security: [] };

/** `GET /health/live` and `GET /health/ready`, without a token. */
export function serveHealth(app: FastifyInstance, deps: HealthDeps): void {
  app.get(
    '/health/live',
    {
      schema: {
        ...OPEN,
        operationId: 'getLiveness',
        summary: 'Is the process alive?',
        response: { 200: successSchema(z.object({ status: z.literal('live') }), 'The process is alive') },
      },
    },
    async () => success('The process is alive', { status: 'live' }),
  );

  app.get(
    '/health/ready',
    {
      schema: {
        ...OPEN,
        operationId: 'getReadiness',
        summary: 'Can it take orders now?',
        response: { 200: successSchema(readySchema, 'Ready to take orders') },
        problems: ['overloaded'],
      },
    },
    async () => {
      try {
        await deps.ping();
      } catch {
        throw new Problem('overloaded', 'The database does not answer.', { retryAfterSeconds: 1 });
      }
      return success('Ready to take orders', { status: 'ready', replica: deps.replica() });
    },
  );
}
