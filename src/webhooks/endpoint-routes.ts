import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db/database.ts';
import { type TypedApp, typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import {
  changeEndpointSchema,
  createEndpointSchema,
  endpointParamsSchema,
  endpointView,
  endpointViewSchema,
  endpointWithSecretSchema,
} from './contract.ts';
import { findEndpoint, listEndpoints } from './endpoint-store.ts';
import { refuseUrl, type UrlRules } from './endpoint-url.ts';
import { changeEndpoint, createEndpoint, deleteEndpoint, type EndpointDeps, rotateSecret } from './manage-endpoints.ts';
import { keyOf, requireEndpoint } from './route-parts.ts';

export interface EndpointRouteDeps extends EndpointDeps {
  db: Db;
  gates: Gates;
  view: { timeZone: string };
  urlRules: UrlRules;
  /** Called when deliveries are due now. */
  wake: () => void;
}

const TAGS = ['Webhooks'];

/** Registering, changing and removing endpoints. */
export function endpointRoutes(deps: EndpointRouteDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    addReading(app, deps);
    addGivingOfSecrets(app, deps);
    addChanging(app, deps);
  };
}

/** What is registered. */
function addReading(app: TypedApp, deps: EndpointRouteDeps): void {
  const { gates, view } = deps;

  app.get(
    '/api/webhook',
    {
      onRequest: gates.read,
      schema: {
        tags: TAGS,
        operationId: 'listWebhooks',
        summary: 'List your webhook endpoints',
        response: { 200: successSchema(z.array(endpointViewSchema), 'Webhooks retrieved successfully') },
      },
    },
    async (request) => {
      const endpoints = await listEndpoints(deps.db, callerOf(request).accountId);
      return success(
        'Webhooks retrieved successfully',
        endpoints.map((endpoint) => endpointView(endpoint, view.timeZone)),
      );
    },
  );

  app.get(
    '/api/webhook/:webhook_id',
    {
      onRequest: gates.read,
      schema: {
        tags: TAGS,
        operationId: 'getWebhook',
        summary: 'Get one webhook endpoint',
        params: endpointParamsSchema,
        response: { 200: successSchema(endpointViewSchema, 'Webhook retrieved successfully') },
        problems: ['webhook_not_found'],
      },
    },
    async (request) => {
      const { accountId, id } = keyOf(request);
      const endpoint = requireEndpoint(await findEndpoint(deps.db, accountId, id));
      return success('Webhook retrieved successfully', endpointView(endpoint, view.timeZone));
    },
  );
}

/** The two answers that tell a secret. */
function addGivingOfSecrets(app: TypedApp, deps: EndpointRouteDeps): void {
  const { gates, view } = deps;

  app.post(
    '/api/webhook',
    {
      onRequest: gates.order,
      schema: {
        tags: TAGS,
        operationId: 'createWebhook',
        summary: 'Register a webhook endpoint',
        description: 'At most ten per mode. The `secret` that verifies its deliveries is in this answer and never again.',
        body: createEndpointSchema,
        response: { 200: successSchema(endpointWithSecretSchema, 'Webhook created successfully') },
        problems: ['webhook_limit_reached'],
      },
    },
    async (request) => {
      const { url, types } = request.body;
      requireUrl(url, deps.urlRules);
      const outcome = await createEndpoint(deps, { accountId: callerOf(request).accountId, url, types });
      if (outcome.kind === 'limit_reached') throw new Problem('webhook_limit_reached');
      const { endpoint, secret } = outcome.created;
      return success('Webhook created successfully', { ...endpointView(endpoint, view.timeZone), secret });
    },
  );

  app.post(
    '/api/webhook/:webhook_id/rotate-secret',
    {
      onRequest: gates.order,
      schema: {
        tags: TAGS,
        operationId: 'rotateWebhookSecret',
        summary: 'Give a webhook endpoint a new secret',
        description: 'For 24 hours deliveries are signed with both, so that the receiver can change over without a gap.',
        params: endpointParamsSchema,
        response: { 200: successSchema(endpointWithSecretSchema, 'Secret rotated successfully') },
        problems: ['webhook_not_found'],
      },
    },
    async (request) => {
      const { endpoint, secret } = requireEndpoint(await rotateSecret(deps, keyOf(request)));
      return success('Secret rotated successfully', { ...endpointView(endpoint, view.timeZone), secret });
    },
  );
}

/** What may become of an endpoint. */
function addChanging(app: TypedApp, deps: EndpointRouteDeps): void {
  const { gates, view } = deps;

  app.patch(
    '/api/webhook/:webhook_id',
    {
      onRequest: gates.order,
      schema: {
        tags: TAGS,
        operationId: 'updateWebhook',
        summary: 'Change, disable or enable a webhook endpoint',
        description:
          'What is not given stays. Enabling goes on with the deliveries that wait; `recover` sends what happened in between.',
        params: endpointParamsSchema,
        body: changeEndpointSchema,
        response: { 200: successSchema(endpointViewSchema, 'Webhook changed successfully') },
        problems: ['webhook_not_found'],
      },
    },
    async (request) => {
      const change = request.body;
      if (change.url !== undefined) requireUrl(change.url, deps.urlRules);
      const endpoint = requireEndpoint(await changeEndpoint(deps, { ...keyOf(request), change }));
      // An endpoint that is enabled again gets what waits for it at once.
      if (change.status === 'Active') deps.wake();
      return success('Webhook changed successfully', endpointView(endpoint, view.timeZone));
    },
  );

  app.delete(
    '/api/webhook/:webhook_id',
    {
      onRequest: gates.order,
      schema: {
        tags: TAGS,
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook endpoint',
        description: 'Deliveries that still wait are cancelled. The events stay on the feed.',
        params: endpointParamsSchema,
        response: { 200: successSchema(endpointViewSchema, 'Webhook deleted successfully') },
        problems: ['webhook_not_found'],
      },
    },
    async (request) => {
      const endpoint = await deleteEndpoint(deps, keyOf(request));
      return success('Webhook deleted successfully', endpointView(requireEndpoint(endpoint), view.timeZone));
    },
  );
}

function requireUrl(url: string, rules: UrlRules): void {
  const refusal = refuseUrl(url, rules);
  if (refusal !== null) throw new Problem('invalid_request', `url: ${refusal}`, { issues: [{ path: 'url', message: refusal }] });
}
