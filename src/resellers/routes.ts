import type { FastifyInstance } from 'fastify';
import type { Db } from '../db/database.ts';
import type { Reads } from '../db/replica.ts';
import { type TypedApp, typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { findAccount, listTransfers, transferView, transferViewSchema } from '../ledger/index.ts';
import { required } from '../lib/assert.ts';
import { type Clock, formatTime } from '../lib/clock.ts';
import { formatAmount, toJsonAmount } from '../lib/money.ts';
import { mapPage } from '../lib/page.ts';
import { accountViewSchema, statementQuerySchema } from './contract.ts';
import { REFILL_AMOUNT, REFILL_LIMIT, refillTestBalance } from './refill-test-balance.ts';

export interface ResellerRouteDeps {
  db: Db;
  reads: Reads;
  clock: Clock;
  gates: Gates;
  view: { currency: string; timeZone: string };
}

const TAGS = ['Account'];
const refilledSchema = successSchema(transferViewSchema).meta({
  examples: [
    success('Test balance refilled', {
      transfer_id: 'tr_01KJJVQ590E9XABMKNNZA4F745',
      kind: 'deposit',
      amount: toJsonAmount(REFILL_AMOUNT),
      balance_after: toJsonAmount(REFILL_AMOUNT),
      order_id: null,
      ref_id: null,
      reference: 'test refill 01KJJVQ590E9XABMKNNZA4F745',
      time: '2026-03-01T02:31:00+07:00',
    }),
  ],
});

export function resellerRoutes({ db, reads, clock, gates, view }: ResellerRouteDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);

    app.get(
      '/api/account',
      {
        onRequest: gates.read,
        schema: {
          tags: TAGS,
          operationId: 'getAccount',
          summary: 'Your account and balance',
          response: { 200: successSchema(accountViewSchema, 'Account retrieved successfully') },
        },
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
          operationId: 'listTransactions',
          summary: 'Your statement',
          description: 'Every movement of your balance, newest first, each with the balance after it.',
          querystring: statementQuerySchema,
          response: { 200: pagedSchema(transferViewSchema, 'Transactions retrieved successfully') },
        },
      },
      async (request) => {
        const { kind, from, to, limit, cursor } = request.query;
        const before = cursor === undefined ? undefined : BigInt(cursor);
        const { accountId } = callerOf(request);
        const page = await reads.list(to, (readDb) => listTransfers(readDb, accountId, { kind, from, to, limit, before }));
        return pagedSuccess(
          'Transactions retrieved successfully',
          mapPage(page, (transfer) => transferView(transfer, view.timeZone)),
        );
      },
    );

    addRefillRoute(app, { db, clock, gates, view });
  };
}

function addRefillRoute(app: TypedApp, { db, clock, gates, view }: Omit<ResellerRouteDeps, 'reads'>): void {
  app.post(
    '/api/account/refill',
    {
      onRequest: gates.order,
      schema: {
        tags: TAGS,
        operationId: 'refillTestBalance',
        summary: 'Refill your test balance (test tokens only)',
        description: `Adds ${REFILL_AMOUNT} minor units, as a deposit that you are told of like any other. Takes no body. Each request adds again. Refused with 400 when the balance would pass ${REFILL_LIMIT}.`,
        response: { 200: refilledSchema },
      },
    },
    async (request) => {
      const { mode, accountId } = callerOf(request);
      if (mode !== 'test')
        throw new Problem(
          'insufficient_scope',
          'Only a test balance can be refilled, with a test token: live money has to be paid in.',
        );
      const outcome = await refillTestBalance({ db, clock, ...view }, accountId);
      if (outcome.kind === 'limit_reached')
        throw new Problem(
          'invalid_request',
          `The test balance is ${formatAmount(outcome.balance, view.currency)}, and a refill may not take it above ${formatAmount(REFILL_LIMIT, view.currency)}. Nothing was added.`,
        );
      return success('Test balance refilled', transferView(outcome.transfer, view.timeZone));
    },
  );
}
