import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { toJsonAmount } from '../lib/money.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type CatalogAdminDeps, savedItem, withoutUndefined } from './admin-parts.ts';
import type { Tier } from './catalog.ts';
import { changeTierSchema, createTierSchema, tierView, tierViewSchema, toMarkup } from './contract.ts';
import { changeTier, createTier } from './edit-catalog.ts';
import { listTierPrices, listTiers } from './store.ts';

/** Tiers and their explicit prices: list, add, change. */
export function addTierRoutes(app: TypedApp, deps: CatalogAdminDeps): void {
  app.get(
    '/admin/api/tier',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listTiers',
        summary: 'List tiers',
        response: { 200: successSchema(z.array(tierViewSchema), 'Tiers retrieved') },
      },
    },
    async () => {
      const tiers = await listTiers(deps.db);
      return success('Tiers retrieved', await Promise.all(tiers.map((tier) => viewTier(deps, tier))));
    },
  );

  app.post(
    '/admin/api/tier',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'createTier',
        summary: 'Add a tier',
        body: createTierSchema,
        response: { 200: successSchema(tierViewSchema, 'Tier added') },
        problems: ['conflict'],
      },
    },
    async (request) => {
      const { code, name, pricing, markup, round_to: roundTo, floor_margin: floorMargin } = request.body;
      const tier = {
        code,
        name,
        pricing,
        markup: toMarkup(pricing, markup),
        roundTo: BigInt(roundTo),
        floorMargin: BigInt(floorMargin),
      };
      const outcome = await createTier(deps, actorOf(request), tier);
      return success('Tier added', await viewTier(deps, savedItem(outcome, `the tier ${code}`)));
    },
  );

  app.patch(
    '/admin/api/tier/:code',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'updateTier',
        summary: 'Change a tier and its explicit prices',
        params: z.strictObject({ code: text(1, 64).meta({ description: 'The tier.', examples: ['gold'] }) }),
        body: changeTierSchema,
        response: { 200: successSchema(tierViewSchema, 'Tier changed') },
        problems: ['not_found', 'service_not_found'],
      },
    },
    async (request) => {
      const { prices = {}, name, pricing, markup, round_to: roundTo, floor_margin: floorMargin } = request.body;
      const before = (await listTiers(deps.db)).find(({ code }) => code === request.params.code);
      const change = withoutUndefined({
        name,
        pricing,
        markup: markup === undefined ? undefined : toMarkup(pricing ?? before?.pricing ?? 'list', markup),
        roundTo: roundTo === undefined ? undefined : BigInt(roundTo),
        floorMargin: floorMargin === undefined ? undefined : BigInt(floorMargin),
      });
      const explicit = new Map(Object.entries(prices).map(([code, price]) => [code, price === null ? null : BigInt(price)]));
      const outcome = await changeTier(deps, actorOf(request), request.params.code, change, explicit);
      return success('Tier changed', await viewTier(deps, savedItem(outcome, 'this tier')));
    },
  );
}

async function viewTier({ db }: CatalogAdminDeps, tier: Tier) {
  const prices = (await listTierPrices(db)).filter(({ tierCode }) => tierCode === tier.code);
  return tierView(tier, Object.fromEntries(prices.map(({ serviceCode, price }) => [serviceCode, toJsonAmount(price)])));
}
