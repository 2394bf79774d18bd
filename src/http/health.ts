import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { success, successSchema } from './envelope.ts';
import { Problem } from './problems.ts';

export interface HealthDeps {
  /** Rejects when the database does not answer. */
  ping: () => Promise<void>;
}

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
        response: { 200: successSchema(z.object({ status: z.literal('ready') }), 'Ready to take orders') },
        problems: ['overloaded'],
      },
    },
    async () => {
      try {
        await deps.ping();
      } catch {
        throw new Problem('overloaded', 'The database does not answer.', { retryAfterSeconds: 1 });
      }
      return success('Ready to take orders', { status: 'ready' });
    },
  );
}
