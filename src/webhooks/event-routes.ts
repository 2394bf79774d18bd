import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db/database.ts';
import { typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { success, successSchema } from '../http/envelope.ts';
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
          description: 'Oldest first and without gaps: remember the last `sequence` you handled and pass it as `after`.',
          querystring: eventsQuerySchema,
          response: { 200: successSchema(z.array(eventViewSchema), 'Events retrieved successfully') },
        },
      },
      async (request) => {
        const { after, limit } = request.query;
        const events = await listEvents(deps.db, callerOf(request).accountId, BigInt(after), limit);
        return success(
          'Events retrieved successfully',
          events.map((event) => eventView(event, deps.view.timeZone)),
        );
      },
    );
  };
}
