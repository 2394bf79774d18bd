import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { SECOND_MS } from '../lib/clock.ts';
import { success, successSchema } from './envelope.ts';
import { Problem } from './problems.ts';

export interface HealthDeps {
  /** Rejects when the database does not answer. */
  ping: () => Promise<void>;
  /** For how long the oldest batch of orders has been on its way to the disk. */
  writingForMs: () => number;
  /** Whether this machine's clock is too far from the database's. */
  isClockFarOff: () => boolean;
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

/** A batch takes milliseconds; one that takes so long hangs. */
const STUCK_AFTER_MS = 10 * SECOND_MS;

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
      if (deps.isClockFarOff()) {
        const message = "This machine's clock is too far from the database's. Set it right (NTP).";
        throw new Problem('overloaded', message, { retryAfterSeconds: 1 });
      }
      // A ping may take another connection than the one that hangs.
      const writingForMs = deps.writingForMs();
      if (writingForMs > STUCK_AFTER_MS) {
        const message = `Orders have been on their way to the database for ${Math.round(writingForMs / SECOND_MS)} s.`;
        throw new Problem('overloaded', message, { retryAfterSeconds: 1 });
      }
      return success('Ready to take orders', { status: 'ready', replica: deps.replica() });
    },
  );
}
