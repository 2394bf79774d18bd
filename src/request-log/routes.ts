import type { FastifyInstance } from 'fastify';
import type { Reads } from '../db/replica.ts';
import { typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { pagedSchema, pagedSuccess } from '../http/envelope.ts';
import { after, type Clock, DAY_MS } from '../lib/clock.ts';
import { mapPage } from '../lib/page.ts';
import { requestLogEntryView, requestLogEntryViewSchema, requestLogQuerySchema } from './contract.ts';
import { REQUEST_LOG_PATH } from './record-requests.ts';
import { MAX_FAILURES_PER_SECOND, MAX_SUCCESSES_PER_SECOND } from './request-buffer.ts';
import { listRequests } from './store.ts';

export interface RequestLogRouteDeps {
  reads: Reads;
  clock: Clock;
  gates: Gates;
  view: { timeZone: string };
  /** How many days the log goes back; 0: there is none, and the list is empty. */
  days: number;
}

const DESCRIPTION = `Your requests of the last days (7 unless the operator chose otherwise) in the mode of the token, newest first, a second after they were answered. Made for finding mistakes, not for accounting: in each second at most ${MAX_SUCCESSES_PER_SECOND} successful and ${MAX_FAILURES_PER_SECOND} failed requests are kept, and the last ones before a crash may be missing. Requests without a valid token, to paths that do not exist, and to this one are not in it.`;

export function requestLogRoutes({ reads, clock, gates, view, days }: RequestLogRouteDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    typed(fastify).get(
      REQUEST_LOG_PATH,
      {
        onRequest: gates.read,
        schema: {
          tags: ['Account'],
          operationId: 'listRequests',
          summary: 'Your recent requests',
          description: DESCRIPTION,
          querystring: requestLogQuerySchema,
          response: { 200: pagedSchema(requestLogEntryViewSchema, 'Requests retrieved successfully') },
        },
      },
      async (request) => {
        const { status, errors, path, from, to, limit, cursor } = request.query;
        // Entries are deleted once an hour; the list ends where it promises to.
        const oldest = after(clock.now(), -days * DAY_MS);
        const filter = {
          status,
          errorsOnly: errors === 'true',
          path,
          from: from === undefined || from < oldest ? oldest : from,
          to,
          limit,
          cursor,
        };
        const page = await reads.list(to, (db) => listRequests(db, callerOf(request).accountId, filter));
        return pagedSuccess(
          'Requests retrieved successfully',
          mapPage(page, (entry) => requestLogEntryView(entry, view.timeZone)),
        );
      },
    );
  };
}
