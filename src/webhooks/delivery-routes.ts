import type { FastifyInstance } from 'fastify';
import type { Db } from '../db/database.ts';
import { type TypedApp, typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { mapPage } from '../lib/page.ts';
import {
  deliveryListQuerySchema,
  deliveryParamsSchema,
  deliveryView,
  deliveryViewSchema,
  endpointParamsSchema,
  recoverSchema,
  recoveryViewSchema,
  toEndpointId,
} from './contract.ts';
import { findAttemptsOf, listDeliveries } from './delivery-store.ts';
import { findEndpoint } from './endpoint-store.ts';
import { keyOf, requireEndpoint } from './route-parts.ts';
import { recoverEvents, resendDelivery, type SendAgainDeps, type SendAgainOutcome, sendTest } from './send-again.ts';

export interface DeliveryRouteDeps extends SendAgainDeps {
  db: Db;
  gates: Gates;
  view: { timeZone: string };
  /** Called when deliveries are due now. */
  wake: () => void;
}

const TAGS = ['Webhooks'];

/** What was sent to an endpoint, and having it sent again. */
export function deliveryRoutes(deps: DeliveryRouteDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    addListing(app, deps);
    addSending(app, deps);
    addRecovery(app, deps);
  };
}

/** What was sent, with every attempt. */
function addListing(app: TypedApp, deps: DeliveryRouteDeps): void {
  const { db, gates, view } = deps;

  app.get(
    '/api/webhook/:webhook_id/delivery',
    {
      onRequest: gates.read,
      schema: {
        tags: TAGS,
        operationId: 'listWebhookDeliveries',
        summary: 'What was sent to an endpoint',
        description: 'The latest event first, each with every attempt: status, duration and the beginning of the answer.',
        params: endpointParamsSchema,
        querystring: deliveryListQuerySchema,
        response: { 200: pagedSchema(deliveryViewSchema, 'Deliveries retrieved successfully') },
        problems: ['webhook_not_found'],
      },
    },
    async (request) => {
      const { accountId, id } = keyOf(request);
      const endpoint = requireEndpoint(await findEndpoint(db, accountId, id));
      const { status, limit, cursor } = request.query;
      const before = cursor === undefined ? undefined : BigInt(cursor);
      const page = await listDeliveries(db, endpoint.id, { state: status, before, limit });
      const attempts = await findAttemptsOf(db, page.items);
      return pagedSuccess(
        'Deliveries retrieved successfully',
        mapPage(page, (delivery) => deliveryView(delivery, attempts.get(delivery.id) ?? [], view.timeZone)),
      );
    },
  );
}

/** One delivery: of a test, or once more. */
function addSending(app: TypedApp, deps: DeliveryRouteDeps): void {
  const { db, gates, view } = deps;

  const queued = async (outcome: SendAgainOutcome, missing: 'webhook_not_found' | 'delivery_not_found') => {
    if (outcome.kind === 'not_found') throw new Problem(missing);
    if (outcome.kind === 'disabled') throw new Problem('webhook_disabled');
    deps.wake();
    const attempts = await findAttemptsOf(db, [outcome.delivery]);
    return deliveryView(outcome.delivery, attempts.get(outcome.delivery.id) ?? [], view.timeZone);
  };

  app.post(
    '/api/webhook/:webhook_id/test',
    {
      onRequest: gates.order,
      schema: {
        tags: TAGS,
        operationId: 'testWebhook',
        summary: 'Send a test event to an endpoint',
        description:
          'A real event of type `webhook.test`, whatever types the endpoint wants. Its deliveries show what came of it.',
        params: endpointParamsSchema,
        response: { 200: successSchema(deliveryViewSchema, 'Test event queued') },
        problems: ['webhook_not_found', 'webhook_disabled'],
      },
    },
    async (request) => {
      const key = keyOf(request);
      const data = { webhook_id: toEndpointId(key.id), message: 'This is a test. Nothing happened to any order.' };
      return success('Test event queued', await queued(await sendTest(deps, { ...key, data }), 'webhook_not_found'));
    },
  );

  app.post(
    '/api/webhook/delivery/:delivery_id/resend',
    {
      onRequest: gates.order,
      schema: {
        tags: TAGS,
        operationId: 'resendWebhookDelivery',
        summary: 'Send a delivery once more',
        description: 'Whatever came of it before. It has the same `webhook-id`, and the schedule of attempts starts anew.',
        params: deliveryParamsSchema,
        response: { 200: successSchema(deliveryViewSchema, 'Delivery queued') },
        problems: ['delivery_not_found', 'webhook_disabled'],
      },
    },
    async (request) => {
      const id = request.params.delivery_id;
      if (id === null) throw new Problem('delivery_not_found');
      const outcome = await resendDelivery(deps, { accountId: callerOf(request).accountId, id });
      return success('Delivery queued', await queued(outcome, 'delivery_not_found'));
    },
  );
}

/** Everything that was missed. */
function addRecovery(app: TypedApp, deps: DeliveryRouteDeps): void {
  const { gates } = deps;

  app.post(
    '/api/webhook/:webhook_id/recover',
    {
      onRequest: gates.order,
      schema: {
        tags: TAGS,
        operationId: 'recoverWebhook',
        summary: 'Send everything that an endpoint has missed',
        description:
          'All events since a time that it has not taken: deliveries that failed or wait, and what happened while it was disabled or not registered yet. At most 10,000 at a time; `has_more` says that there are more.',
        params: endpointParamsSchema,
        body: recoverSchema,
        response: { 200: successSchema(recoveryViewSchema, 'Deliveries queued') },
        problems: ['webhook_not_found', 'webhook_disabled'],
      },
    },
    async (request) => {
      const outcome = await recoverEvents(deps, { ...keyOf(request), since: request.body.since });
      if (outcome.kind === 'not_found') throw new Problem('webhook_not_found');
      if (outcome.kind === 'disabled') throw new Problem('webhook_disabled');
      deps.wake();
      return success('Deliveries queued', { queued: outcome.count, has_more: outcome.hasMore });
    },
  );
}
