import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import type { Reads } from '../db/replica.ts';
import { typed } from '../http/app.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { type Account, findAccountsById, listOrderTransfers, transferView } from '../ledger/index.ts';
import { required } from '../lib/assert.ts';
import { mapPage } from '../lib/page.ts';
import { actorOf } from '../operators/index.ts';
import { findExchanges } from '../suppliers/index.ts';
import { deliveryView, eventView, findAttemptsOf, listOrderDeliveries, listOrderEvents } from '../webhooks/index.ts';
import {
  adminOrderListQuerySchema,
  adminOrderView,
  adminOrderViewSchema,
  attemptView,
  orderDetailSchema,
  orderParamsSchema,
  resolveSchema,
  SHOWN_EXCHANGES,
} from './admin-contract.ts';
import { findAttempts } from './attempt-store.ts';
import { exchangeView } from './exchange-contract.ts';
import type { Order } from './order.ts';
import { type ReviewDeps, recheckOrder, resolveOrder } from './resolve-order.ts';
import { findOrderById, listOrders } from './store.ts';

export interface OrderAdminDeps extends ReviewDeps {
  reads: Reads;
  adminGate: onRequestAsyncHookHandler;
  /** Called when orders are due now. */
  wake: () => void;
}

const TAGS = ['Order administration'];

export function orderAdminRoutes(deps: OrderAdminDeps) {
  const { db, reads, view } = deps;

  const detail = async (order: Order) => {
    const [accounts, attempts, transfers, events, deliveries] = await Promise.all([
      findAccountsById(db, [order.accountId]),
      findAttempts(db, [order]),
      listOrderTransfers(db, order.accountId, order.id),
      listOrderEvents(db, order.accountId, order.id),
      listOrderDeliveries(db, order.accountId, order.id),
    ]);
    const calls = await findAttemptsOf(db, deliveries);
    const references = attempts.map(({ reference }) => reference);
    const exchanges = await findExchanges(db, references, SHOWN_EXCHANGES);
    return {
      ...adminOrderView(order, resellerOf(order, accounts), view),
      attempts: attempts.map((attempt) => ({
        ...attemptView(attempt, view.timeZone),
        exchanges: (exchanges.get(attempt.reference) ?? []).map((exchange) => exchangeView(exchange, view.timeZone)),
      })),
      transfers: transfers.map((transfer) => transferView(transfer, view.timeZone)),
      events: events.map((event) => eventView(event, view.timeZone)),
      deliveries: deliveries.map((delivery) => deliveryView(delivery, calls.get(delivery.id) ?? [], view.timeZone)),
    };
  };

  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);

    app.get(
      '/admin/api/order',
      {
        schema: {
          tags: TAGS,
          operationId: 'listAllOrders',
          summary: 'List orders',
          description: 'Newest first. `review=true`: those that wait for you.',
          querystring: adminOrderListQuerySchema,
          response: { 200: pagedSchema(adminOrderViewSchema, 'Orders retrieved') },
        },
      },
      async (request) => {
        const { status, mode, reseller_id, product_code, supplier, ref_id, review, from, to, limit, cursor } = request.query;
        const filter = {
          state: status,
          mode,
          resellerId: reseller_id,
          productCode: product_code,
          supplierCode: supplier,
          refId: ref_id,
          inReview: review,
          from,
          to,
          limit,
          cursor,
        };
        const page = await reads.list(to, (readDb) => listOrders(readDb, filter));
        const accounts = await findAccountsById(db, [...new Set(page.items.map(({ accountId }) => accountId))]);
        return pagedSuccess(
          'Orders retrieved',
          mapPage(page, (order) => adminOrderView(order, resellerOf(order, accounts), view)),
        );
      },
    );

    app.get(
      '/admin/api/order/:order_id',
      {
        schema: {
          tags: TAGS,
          operationId: 'getOrderDetail',
          summary: 'One order with everything that happened to it',
          params: orderParamsSchema,
          response: { 200: successSchema(orderDetailSchema, 'Order retrieved') },
          problems: ['order_not_found'],
        },
      },
      async (request) => {
        const order = request.params.order_id && (await findOrderById(db, request.params.order_id));
        if (!order) throw new Problem('order_not_found');
        return success('Order retrieved', await detail(order));
      },
    );

    app.post(
      '/admin/api/order/:order_id/resolve',
      {
        schema: {
          tags: TAGS,
          operationId: 'resolveOrder',
          summary: 'Decide the outcome of an order',
          description:
            'For orders whose outcome the supplier does not tell. Process can become Success or Failed (the money goes back), Success can become Refunded.',
          params: orderParamsSchema,
          body: resolveSchema,
          response: { 200: successSchema(orderDetailSchema, 'The supplier is asked again') },
          problems: ['order_not_found', 'conflict'],
        },
      },
      async (request) => {
        const { outcome, reason, serial_number } = request.body;
        const resolved = await resolveOrder(deps, actorOf(request), {
          orderId: requireId(request.params.order_id),
          outcome,
          reason,
          serialNumber: serial_number ?? null,
        });
        if (resolved.kind === 'not_found') throw new Problem('order_not_found');
        if (resolved.kind === 'not_possible')
          throw new Problem('conflict', `An order that is ${resolved.state} cannot become ${outcome}.`);
        return success(`The order is ${resolved.order.state}`, await detail(resolved.order));
      },
    );

    app.post(
      '/admin/api/order/:order_id/recheck',
      {
        schema: {
          tags: TAGS,
          operationId: 'recheckOrder',
          summary: 'Have the supplier asked again now',
          params: orderParamsSchema,
          response: { 200: successSchema(orderDetailSchema, 'The supplier is asked again') },
          problems: ['order_not_found', 'conflict'],
        },
      },
      async (request) => {
        const outcome = await recheckOrder(deps, actorOf(request), requireId(request.params.order_id));
        if (outcome.kind === 'not_found') throw new Problem('order_not_found');
        if (outcome.kind === 'not_possible')
          throw new Problem('conflict', `An order that is ${outcome.state} has nothing left to ask about.`);
        deps.wake();
        return success('The supplier is asked again', await detail(outcome.order));
      },
    );
  };
}

function resellerOf(order: Order, accounts: Map<string, Account>): string {
  return required(accounts.get(order.accountId), 'the account of an order').resellerId;
}

function requireId(id: string): string {
  if (id === '') throw new Problem('order_not_found');
  return id;
}
