import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../db/database.ts';
import { knownCallerOf } from '../http/caller.ts';
import { problemOf } from '../http/request.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { redactRequest, redactText } from './redaction.ts';
import { RequestBuffer } from './request-buffer.ts';
import { startWriter } from './write-requests.ts';

export interface RequestLog {
  /** Remembers the requests of known callers from here on. */
  watch(app: FastifyInstance): void;
  /** Writes what waits. Call when no request can come any more. */
  stop(): Promise<void>;
}

/** Reading the log is not part of it: whoever keeps it open on a screen would see little else. */
export const REQUEST_LOG_PATH = '/api/request-log';
const MAX_PATH_LENGTH = 200;
const MAX_QUERY_FIELDS = 50;

/** Opens the log of the last `days` days; 0: nothing is remembered. A job deletes what is older. */
export function openRequestLog({ db, clock, log, days }: { db: Db; clock: Clock; log: Log; days: number }): RequestLog {
  const buffer = new RequestBuffer();
  const writer = startWriter({ db, clock, log, buffer });
  return {
    watch(app) {
      if (days === 0) return;
      // After the answer is sent, and in memory alone: no request waits for its entry or fails because of it.
      app.addHook('onResponse', (request, reply, done) => {
        record(buffer, clock.now(), request, reply);
        done();
      });
    },
    stop: () => writer.stop(),
  };
}

function record(buffer: RequestBuffer, now: Date, request: FastifyRequest, reply: FastifyReply): void {
  const caller = knownCallerOf(request);
  if (caller === null) return;
  const [path, query] = splitUrl(request.url);
  if (path === REQUEST_LOG_PATH) return;
  if (!buffer.hasRoomFor(caller.accountId, reply.statusCode >= 400, now)) return;
  const problem = problemOf(request);
  buffer.add({
    accountId: caller.accountId,
    id: newId(now),
    requestId: request.id,
    method: request.method,
    path: path.slice(0, MAX_PATH_LENGTH),
    status: reply.statusCode,
    // The message may repeat what the client sent, such as the name of an unknown field.
    problem: problem && { code: problem.code, message: redactText(problem.message) },
    durationMs: Math.round(reply.elapsedTime),
    // The query as it was sent, which the route's schema has since replaced by what it made of it.
    request: redactRequest(request.body ?? (query === '' ? null : parse(query, '&', '=', { maxKeys: MAX_QUERY_FIELDS }))),
    at: now,
  });
}

function splitUrl(url: string): [path: string, query: string] {
  const end = url.indexOf('?');
  return end < 0 ? [url, ''] : [url.slice(0, end), url.slice(end + 1)];
}
