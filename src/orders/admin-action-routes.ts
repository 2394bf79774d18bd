import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { actorOf } from '../operators/index.ts';
import { notDeliveredSchema, orderDetailSchema, orderParamsSchema, rerouteSchema, resolveSchema } from './admin-contract.ts';
import { ADMIN_TAGS, type OrderAdminDeps, requireId } from './admin-parts.ts';
import type { Order } from './order.ts';
import { readOrderDetail } from './order-detail.ts';
import { type ActionOutcome, closeAsNotDelivered, recheckOrder, rerouteOrder, resolveOrder } from './resolve-order.ts';

/** What operators may do about an order. Every action is in the audit log. */
export function addActionRoutes(app: TypedApp, deps: OrderAdminDeps): void {
  const base = { tags: ADMIN_TAGS, params: orderParamsSchema, problems: ['order_not_found', 'conflict'] as const };
  const answer = async (outcome: ActionOutcome, message: (order: Order) => string) => {
    if (outcome.kind === 'not_found') throw new Problem('order_not_found');
    if (outcome.kind === 'not_possible') throw new Problem('conflict', outcome.why);
    deps.wake();
    return success(message(outcome.order), await readOrderDetail(deps.db, outcome.order, deps.view));
  };

  app.post(
    '/admin/api/order/:order_id/resolve',
    {
      schema: {
        ...base,
        operationId: 'resolveOrder',
        summary: 'Decide the outcome of an order',
        description:
          'For orders whose outcome the supplier does not tell. Process can become Success or Failed (the money goes back), Success can become Refunded. The state that an order in review has already takes it out of review.',
        body: resolveSchema,
        response: { 200: successSchema(orderDetailSchema, 'The order is Success') },
      },
    },
    async (request) => {
      const { outcome, reason, serial_number, by_other_means } = request.body;
      const orderId = requireId(request.params.order_id);
      const resolved = await resolveOrder(deps, actorOf(request), {
        orderId,
        outcome,
        reason,
        serialNumber: serial_number ?? null,
        byOtherMeans: by_other_means ?? false,
      });
      return answer(resolved, ({ state }) => `The order is ${state}`);
    },
  );

  app.post(
    '/admin/api/order/:order_id/recheck',
    {
      schema: {
        ...base,
        operationId: 'recheckOrder',
        summary: 'Have the supplier asked again now',
        response: { 200: successSchema(orderDetailSchema, 'The supplier is asked again') },
      },
    },
    async (request) =>
      answer(await recheckOrder(deps, actorOf(request), requireId(request.params.order_id)), () => 'The supplier is asked again'),
  );

  app.post(
    '/admin/api/order/:order_id/not-delivered',
    {
      schema: {
        ...base,
        operationId: 'closeAttemptAsNotDelivered',
        summary: 'Say that the supplier has not delivered and never will',
        description:
          'Only when the supplier itself has told you so: the open attempt is closed, and the order goes on with its next route, or is Failed and refunded when none is left. Wrong here means delivered twice.',
        body: notDeliveredSchema,
        response: { 200: successSchema(orderDetailSchema, 'The attempt is closed and the order goes on') },
      },
    },
    async (request) => {
      const orderId = requireId(request.params.order_id);
      const outcome = await closeAsNotDelivered(deps, actorOf(request), { orderId, reason: request.body.reason });
      return answer(outcome, () => 'The attempt is closed and the order goes on');
    },
  );

  app.post(
    '/admin/api/order/:order_id/reroute',
    {
      schema: {
        ...base,
        operationId: 'rerouteOrder',
        summary: 'Send an order by another route',
        description:
          'Only when every attempt is known not to have delivered. Without `route`: the next of the service that was not tried.',
        body: rerouteSchema,
        response: { 200: successSchema(orderDetailSchema, 'The order is sent another way') },
      },
    },
    async (request) => {
      const { reason, route } = request.body;
      const outcome = await rerouteOrder(deps, actorOf(request), {
        orderId: requireId(request.params.order_id),
        reason,
        route: route ? { supplierCode: route.supplier, sku: route.sku } : null,
      });
      return answer(outcome, ({ supplierCode }) =>
        deps.registry.connection(supplierCode).isAcceptingOrders()
          ? 'The order is sent another way'
          : `The order waits for ${supplierCode}, which takes no orders now`,
      );
    },
  );
}
