import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type TypedApp, typed } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { Problem } from '../http/problems.ts';
import { unreachable } from '../lib/assert.ts';
import { formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type PriceListAdminDeps, requireSupplier, supplierParams } from './admin-parts.ts';
import {
  listView,
  listViewSchema,
  priceViewSchema,
  syncRequestSchema,
  syncRuleSchema,
  syncView,
  syncViewSchema,
} from './contract.ts';
import { addItemRoutes } from './item-routes.ts';
import { setRule } from './set-rule.ts';
import { findList, listPrices } from './store.ts';
import { type SyncOutcome, syncSupplier } from './sync-supplier.ts';

const MAX_PRICES = 200;
const NO_LIST = 'This kind of supplier has no price list to read.';

/** Price lists of suppliers: compare, apply, and what the schedule does with them. */
export function priceListAdminRoutes(deps: PriceListAdminDeps) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);
    addSyncRoutes(app, deps);
    addScheduleRoutes(app, deps);
    addItemRoutes(app, deps);
  };
}

function addSyncRoutes(app: TypedApp, deps: PriceListAdminDeps): void {
  app.post(
    '/admin/api/supplier/:code/sync',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'syncSupplier',
        summary: "Read the supplier's price list, compare it with our routes, and apply it",
        description:
          'Without a body nothing is changed. A list is read no more often than the supplier allows; what a dry run has read can be applied right after it.',
        params: supplierParams,
        body: syncRequestSchema,
        response: { 200: successSchema(syncViewSchema, 'Price list retrieved') },
        problems: ['not_found', 'conflict'],
      },
    },
    async (request) => {
      const { code: supplierCode } = request.params;
      await requireSupplier(deps, supplierCode);
      const { dry_run: dryRun = true, force = false, rule: given } = request.body ?? {};
      const scheduled = (await findList(deps.db, supplierCode)).rule;
      const rule = given ?? (scheduled === 'off' ? 'costs' : scheduled);
      const outcome = await syncSupplier(deps, actorOf(request), { supplierCode, rule, dryRun, force });
      if (outcome.kind !== 'done') throw toProblem(outcome, deps.view.timeZone);
      return success('Price list retrieved', syncView(outcome.report, outcome.listed, outcome.unread));
    },
  );

  app.get(
    '/admin/api/supplier/:code/sync',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'getSupplierSync',
        summary: "What the schedule does with the supplier's price list, and what came of it last",
        params: supplierParams,
        response: { 200: successSchema(listViewSchema, 'Sync retrieved') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      await requireSupplier(deps, request.params.code);
      return success('Sync retrieved', listView(await findList(deps.db, request.params.code), deps.view.timeZone));
    },
  );
}

function addScheduleRoutes(app: TypedApp, deps: PriceListAdminDeps): void {
  app.put(
    '/admin/api/supplier/:code/sync',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'setSupplierSync',
        summary: "Set what the schedule does with the supplier's price list",
        params: supplierParams,
        body: syncRuleSchema,
        response: { 200: successSchema(listViewSchema, 'Sync saved') },
        problems: ['not_found', 'conflict'],
      },
    },
    async (request) => {
      const { code } = request.params;
      const { rule } = request.body;
      await requireSupplier(deps, code);
      if (!deps.registry.connection(code).kind.capabilities.priceList && rule !== 'off') throw new Problem('conflict', NO_LIST);
      await setRule(deps, actorOf(request), code, rule);
      return success('Sync saved', listView(await findList(deps.db, code), deps.view.timeZone));
    },
  );

  app.get(
    '/admin/api/supplier/:code/price',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listSupplierItemPrices',
        summary: 'What an item cost at the supplier, newest first',
        description: `The last ${MAX_PRICES} changes.`,
        params: supplierParams,
        querystring: z.strictObject({ sku: text(1, 128).describe("The supplier's name for the item.") }),
        response: { 200: successSchema(z.array(priceViewSchema), 'Prices retrieved') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      await requireSupplier(deps, request.params.code);
      const prices = await listPrices(deps.db, request.params.code, request.query.sku, MAX_PRICES);
      return success(
        'Prices retrieved',
        prices.map(({ at, cost }) => ({ at: formatTime(at, deps.view.timeZone), cost: toJsonAmount(cost) })),
      );
    },
  );
}

function toProblem(outcome: Exclude<SyncOutcome, { kind: 'done' }>, timeZone: string): Problem {
  switch (outcome.kind) {
    case 'not_supported':
      return new Problem('conflict', NO_LIST);
    case 'unknown':
      return new Problem('conflict', `The supplier did not answer: ${withoutPoint(outcome.reason)}. Try again later.`);
    case 'not_asked':
      return new Problem('conflict', `The list was not asked for: ${withoutPoint(outcome.reason)}.`);
    case 'no_routes':
      return new Problem(
        'conflict',
        'This supplier tells its list game by game, and only of games that routes name. Set a route to one item of each game first; nothing was asked.',
      );
    case 'too_early':
      return new Problem(
        'conflict',
        `The list was asked for a moment ago, and the supplier allows that rarely. Try again after ${formatTime(outcome.nextAt, timeZone)}.`,
      );
    default:
      return unreachable(outcome);
  }
}

/** Reasons are words of suppliers and of adapters, with a point at their end or without. */
function withoutPoint(reason: string): string {
  return reason.replace(/\.$/, '');
}
