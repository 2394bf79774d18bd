import type { FastifyInstance } from 'fastify';
import type { Db } from '../db/database.ts';
import { typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { findAccount, listTransfers, transferView, transferViewSchema } from '../ledger/index.ts';
import { required } from '../lib/assert.ts';
import { formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { mapPage } from '../lib/page.ts';
import { accountViewSchema, statementQuerySchema } from './contract.ts';

export interface ResellerRouteDeps {
  db: Db;
  gates: Gates;
  view: { currency: string; timeZone: string };
}

const TAGS = ['Account'];

export function resellerRoutes({ db, gates, view }: ResellerRouteDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);

    app.get(
      '/api/account',
      {
        onRequest: gates.read,
        schema: { tags: TAGS, summary: 'Your account and balance', response: { 200: successSchema(accountViewSchema) } },
      },
      async (request) => {
        const caller = callerOf(request);
        const account = required(await findAccount(db, caller.resellerId, caller.mode), 'the account of a caller');
        return success('Account retrieved successfully', {
          name: caller.name,
          username: caller.username,
          balance: toJsonAmount(account.balance),
          currency: view.currency,
          tier: caller.tierCode,
          mode: caller.mode,
          registered_at: formatTime(caller.registeredAt, view.timeZone),
        });
      },
    );

    app.get(
      '/api/account/transactions',
      {
        onRequest: gates.read,
        schema: {
          tags: TAGS,
          summary: 'Your statement',
          description: 'Every movement of your balance, newest first, each with the balance after it.',
          querystring: statementQuerySchema,
          response: { 200: pagedSchema(transferViewSchema) },
        },
      },
      async (request) => {
        const { kind, from, to, limit, cursor } = request.query;
        const before = cursor === undefined ? undefined : BigInt(cursor);
        const page = await listTransfers(db, callerOf(request).accountId, { kind, from, to, limit, before });
        return pagedSuccess(
          'Transactions retrieved successfully',
          mapPage(page, (transfer) => transferView(transfer, view.timeZone)),
        );
      },
    );
  };
}
