import { findExchanges } from '../exchanges/index.ts';
import type { TypedApp } from '../http/app.ts';
import { pagedSchema, pagedSuccess } from '../http/envelope.ts';
import { findAccountsById } from '../ledger/index.ts';
import { mapPage } from '../lib/page.ts';
import { ADMIN_TAGS, type OrderAdminDeps } from './admin-parts.ts';
import { findAttempts } from './attempt-store.ts';
import { resellerOf } from './order-detail.ts';
import { possibleActions } from './resolution.ts';
import { contextOf } from './resolve-order.ts';
import { reviewItemSchema, reviewItemView, reviewQuerySchema } from './review-contract.ts';
import { listReviews } from './store.ts';

/** The list of what waits for operators, with what they need to decide. */
export function addReviewRoute(app: TypedApp, deps: OrderAdminDeps): void {
  const { db, view } = deps;

  app.get(
    '/admin/api/review',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listReviews',
        summary: 'Orders that wait for an operator',
        description:
          'Longest waiting first, each with its last attempt, the last exchange with the supplier, and what you may do. `GET /admin/api/order/{order_id}` has the rest.',
        querystring: reviewQuerySchema,
        response: { 200: pagedSchema(reviewItemSchema, 'Reviews retrieved') },
      },
    },
    async (request) => {
      const page = await listReviews(db, request.query);
      const accounts = await findAccountsById(db, [...new Set(page.items.map(({ accountId }) => accountId))]);
      const attempts = Map.groupBy(await findAttempts(db, page.items), ({ orderId }) => orderId);
      const last = [...attempts.values()].flatMap((ofOrder) => ofOrder.at(-1)?.reference ?? []);
      const exchanges = await findExchanges(db, last, 1);
      // Each in its own right: what limits the next route of one order is read only where a supplier has such limits.
      const actions = new Map(
        await Promise.all(
          page.items.map(async (order) => {
            const context = await contextOf(deps, db, order);
            return [order.id, possibleActions(order, attempts.get(order.id) ?? [], context)] as const;
          }),
        ),
      );
      return pagedSuccess(
        'Reviews retrieved',
        mapPage(page, (order) =>
          reviewItemView({
            order,
            resellerId: resellerOf(order, accounts),
            attempts: attempts.get(order.id) ?? [],
            exchanges,
            actions: actions.get(order.id) ?? [],
            view,
            now: deps.clock.now(),
          }),
        ),
      );
    },
  );
}
