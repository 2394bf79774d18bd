import type { FastifyInstance } from 'fastify';
import { typed } from '../http/app.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { findAccountsById } from '../ledger/index.ts';
import { mapPage } from '../lib/page.ts';
import { addActionRoutes } from './admin-action-routes.ts';
import {
  adminOrderListQuerySchema,
  adminOrderView,
  adminOrderViewSchema,
  orderDetailSchema,
  orderParamsSchema,
} from './admin-contract.ts';
import { ADMIN_TAGS, type OrderAdminDeps } from './admin-parts.ts';
import { addReviewRoute } from './admin-review-routes.ts';
import { readOrderDetail, resellerOf } from './order-detail.ts';
import { findOrderById, listOrders } from './store.ts';

export function orderAdminRoutes(deps: OrderAdminDeps) {
  const { db, reads, view } = deps;

  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);

    app.get(
      '/admin/api/order',
      {
        schema: {
          tags: ADMIN_TAGS,
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
          tags: ADMIN_TAGS,
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
        return success('Order retrieved', await readOrderDetail(db, order, view));
      },
    );

    addReviewRoute(app, deps);
    addActionRoutes(app, deps);
  };
}
