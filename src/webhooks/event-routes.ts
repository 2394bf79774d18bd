import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db/database.ts';
import { typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { eventsQuerySchema, eventView, eventViewSchema } from './contract.ts';
import { listEvents } from './event-store.ts';

export function eventRoutes(deps: { db: Db; gates: Gates; view: { timeZone: string } }) {
  return async (fastify: FastifyInstance): Promise<void> => {
    typed(fastify).get(
      '/api/events',
      {
        onRequest: deps.gates.read,
        schema: {
          tags: ['Events'],
          operationId: 'listEvents',
          summary: 'The feed of everything you are told',
          description:
            'Oldest first and without gaps: remember the last `sequence` you handled and pass it as `after`. Events are kept for a time; `after=0` begins with the oldest, and a number from before that is `events_expired`.',
          querystring: eventsQuerySchema,
          response: { 200: successSchema(z.array(eventViewSchema), 'Events retrieved successfully') },
          problems: ['events_expired'],
        },
      },
      async (request) => {
        const { after, limit } = request.query;
        const page = await listEvents(deps.db, callerOf(request).accountId, BigInt(after), limit);
        if (page.kind === 'expired') {
          const first = Number(page.first);
          throw new Problem('events_expired', `Events up to ${first - 1} are no longer kept. Continue with after=${first - 1}.`, {
            details: { first_sequence: first },
          });
        }
        return success(
          'Events retrieved successfully',
          page.events.map((event) => eventView(event, deps.view.timeZone)),
        );
      },
    );
  };
}
