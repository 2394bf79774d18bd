import type { FastifyInstance } from 'fastify';
import type { Reads } from '../db/replica.ts';
import { typed } from '../http/app.ts';
import { type Caller, callerOf, type Gates } from '../http/caller.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { unreachable } from '../lib/assert.ts';
import { toJsonAmount } from '../lib/money.ts';
import { mapPage } from '../lib/page.ts';
import { stringToSign, verifySignature } from '../resellers/index.ts';
import {
  orderListQuerySchema,
  orderRequestSchema,
  orderStatusQuerySchema,
  orderView,
  orderViewSchema,
  type ViewSettings,
} from './contract.ts';
import { ORDER_EXAMPLES } from './examples.ts';
import { fromOrderId, toOrderId } from './order.ts';
import {
  type PlaceOrderDeps,
  type PlaceOrderOutcome,
  type PlaceOrderRequest,
  placeOrder,
  toPlaceOrderRequest,
} from './place-order.ts';
import { findOrder, listOrders } from './store.ts';

export interface OrderRouteDeps extends PlaceOrderDeps {
  reads: Reads;
  gates: Gates;
  view: ViewSettings;
}

const OVERLOAD_RETRY_SECONDS = 1;
const TAGS = ['Orders'];
const CREATED = 'Transaction created successfully';
const createdSchema = successSchema(orderViewSchema, CREATED).meta({ examples: [success(CREATED, ORDER_EXAMPLES.Process)] });

export function orderRoutes(deps: OrderRouteDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);

    app.post(
      '/api/order',
      {
        onRequest: deps.gates.order,
        schema: {
          tags: TAGS,
          operationId: 'createOrder',
          summary: 'Create an order',
          description:
            'Debits your balance and delivers in real time. The same ref_id sent again never buys twice: it answers the order as it is now.',
          body: orderRequestSchema,
          response: { 200: createdSchema },
          answerHeaders: ['Idempotent-Replayed'],
          problems: [
            'invalid_signature',
            'insufficient_balance',
            'service_not_found',
            'ref_id_conflict',
            'price_changed',
            'invalid_account_identifier',
            { code: 'player_not_found', status: 422 },
            'service_unavailable',
            'overloaded',
          ],
        },
      },
      async (request, reply) => {
        const caller = callerOf(request);
        const order = toPlaceOrderRequest(request.body);
        requireSignature(caller, order, request.body.signature);
        const outcome = await placeOrder(deps, caller, order);
        if (outcome.kind === 'placed') return success(CREATED, orderView(outcome.order, deps.view));
        if (outcome.kind !== 'replayed') throw toProblem(outcome);
        reply.header('idempotent-replayed', 'true');
        return success(CREATED, orderView(outcome.order, deps.view));
      },
    );

    app.get(
      '/api/order/status',
      {
        onRequest: deps.gates.read,
        schema: {
          tags: TAGS,
          operationId: 'getOrderStatus',
          summary: 'Get one order',
          description: 'By your ref_id or our order_id. Strongly consistent: an order that was created is found at once.',
          querystring: orderStatusQuerySchema,
          response: { 200: successSchema(orderViewSchema, 'Order retrieved successfully') },
          problems: ['order_not_found'],
        },
      },
      async (request) => {
        const { accountId } = callerOf(request);
        const { ref_id, order_id } = request.query;
        const id = order_id === undefined ? null : fromOrderId(order_id);
        const order =
          ref_id !== undefined
            ? await findOrder(deps.db, { accountId, refId: ref_id })
            : id && (await findOrder(deps.db, { accountId, id }));
        if (!order) throw new Problem('order_not_found');
        return success('Order retrieved successfully', orderView(order, deps.view));
      },
    );

    app.get(
      '/api/order',
      {
        onRequest: deps.gates.read,
        schema: {
          tags: TAGS,
          operationId: 'listOrders',
          summary: 'List your orders',
          description: 'Newest first.',
          querystring: orderListQuerySchema,
          response: { 200: pagedSchema(orderViewSchema, 'Orders retrieved successfully') },
        },
      },
      async (request) => {
        const { status, product_code, from, to, limit, cursor } = request.query;
        const { accountId } = callerOf(request);
        const filter = { accountId, state: status, productCode: product_code, from, to, limit, cursor };
        const page = await deps.reads.list(to, (db) => listOrders(db, filter));
        return pagedSuccess(
          'Orders retrieved successfully',
          mapPage(page, (order) => orderView(order, deps.view)),
        );
      },
    );
  };
}

function requireSignature(caller: Caller, order: PlaceOrderRequest, signature: string): void {
  if (verifySignature(order, caller.signingKey, signature)) return;
  const inTest = caller.mode === 'test';
  throw new Problem('invalid_signature', undefined, inTest ? { details: { string_to_sign: stringToSign(order) } } : {});
}

function toProblem(outcome: Exclude<PlaceOrderOutcome, { kind: 'placed' | 'replayed' }>): Problem {
  switch (outcome.kind) {
    case 'ref_id_conflict':
      return new Problem('ref_id_conflict', undefined, {
        details: { order_id: toOrderId(outcome.order.id), differs: outcome.differs },
      });
    case 'price_changed':
      return new Problem('price_changed', undefined, { details: { price: toJsonAmount(outcome.price) } });
    case 'insufficient_balance':
      return new Problem('insufficient_balance', undefined, {
        details: { balance: toJsonAmount(outcome.balance), price: toJsonAmount(outcome.price) },
      });
    case 'service_not_found':
      return new Problem('service_not_found');
    case 'service_unavailable':
      return new Problem(
        'service_unavailable',
        `This service cannot be ordered at the moment (${outcome.status}). Nothing was created.`,
      );
    case 'invalid_account_identifier':
      return new Problem('invalid_account_identifier', undefined, { issues: outcome.issues });
    case 'player_not_found':
      return new Problem('player_not_found', 'The game knows no such player. Check the user ID and zone. Nothing was created.', {
        status: 422,
      });
    case 'overloaded':
      return new Problem('overloaded', undefined, { retryAfterSeconds: OVERLOAD_RETRY_SECONDS });
    default:
      return unreachable(outcome);
  }
}
