import { importCatalog } from '../../src/catalog/index.ts';
import { addSupplier } from '../../src/connections/configure-supplier.ts';
import type { Caller } from '../../src/http/caller.ts';
import { findAccount } from '../../src/ledger/index.ts';
import { required } from '../../src/lib/assert.ts';
import { createReseller } from '../../src/resellers/create-reseller.ts';
import { toSigningKey } from '../../src/resellers/signature.ts';
import type { Route } from '../../src/routing/index.ts';
import { setRoutes } from '../../src/routing/set-routes.ts';
import type { Chance } from './chance.ts';
import type { Running } from './fleet.ts';
import { addressOf } from './network.ts';
import type { Cast } from './suppliers.ts';
import { INVENTED } from './traits.ts';

const ACTOR = { name: 'setup', requestId: null };
const HEADER =
  'product_code,product_name,category,account_identifier,user_id_label,user_id_pattern,zone_label,zone_pattern,zone_options,' +
  'nickname_lookup,service_code,service_name,cost,price';
/** Soon, so that a world of a day sees it. */
export const REVIEW_AFTER_MINUTES = 180;
const SERVICES = 5;
const RESELLERS = 6;

/** Which supplier's item delivers each service: one to three of them, in some order. */
export function drawRoutes(chance: Chance, cast: Cast[]): Map<string, Route[]> {
  const routes = Array.from({ length: SERVICES }, (_, index): [string, Route[]] => {
    const chosen = chance.shuffled(cast).slice(0, chance.between(1, 3));
    return [`GAME-${index + 1}`, chosen.map((supplier) => drawRoute(chance, supplier))];
  });
  return new Map(routes);
}

function drawRoute(chance: Chance, { code, dialect }: Cast): Route {
  const { sku, price } = chance.pick(dialect.items.filter(({ available }) => available));
  // Some routes have room for a price that rises; real suppliers may want to be told theirs exactly.
  const cost = code.startsWith(INVENTED) && chance.happens(0.7) ? price + 2_000n : price;
  return { supplierCode: code, sku, cost, accountTemplate: null, oncePerDay: chance.happens(0.1), cutOff: null };
}

/** A catalogue, suppliers with their routes, and resellers. */
export async function furnish(
  { parts, process }: Running,
  options: { cast: Cast[]; routes: ReadonlyMap<string, Route[]> },
): Promise<Caller[]> {
  const rows = [...options.routes].map(([code, [route]]) => {
    const cost = required(route, 'a route').cost;
    return `GAME,A game,Games,User ID,User ID,"[0-9]{4,20}",Zone,"[0-9]{1,6}",,false,${code},A pack,${cost},${cost + 3_000n}`;
  });
  const csv = [HEADER, ...rows].join('\n');
  const imported = await importCatalog({ ...parts, tell: async () => undefined, onStatesSet: async () => undefined }, ACTOR, {
    csv,
    dryRun: false,
  });
  if (imported.kind !== 'imported') throw new Error(`The catalogue was not imported: ${JSON.stringify(imported)}`);
  for (const { code, kind, dialect } of options.cast) {
    const added = await addSupplier(parts, ACTOR, {
      code,
      kind: kind.kind,
      config: { ...dialect.config, base_url: addressOf(code), review_after_minutes: String(REVIEW_AFTER_MINUTES) },
    });
    if (added.kind !== 'saved') throw new Error(`The supplier ${code} was not added: ${JSON.stringify(added)}`);
  }
  for (const [serviceCode, routes] of options.routes) await setRoutes(parts, ACTOR, serviceCode, routes);
  const callers: Caller[] = [];
  for (let number = 1; number <= RESELLERS; number++) {
    const created = await createReseller(parts, ACTOR, {
      name: `Reseller ${number}`,
      username: `reseller-${number}`,
      tierCode: 'standard',
      lowBalanceThreshold: number % 2 === 0 ? 100_000n : null,
    });
    if (created.kind !== 'created') throw new Error('A reseller was not created.');
    const { reseller } = created;
    const account = required(await findAccount(process.database.db, reseller.id, 'live'), 'the account of a reseller');
    const signingKey = toSigningKey('the secret of a reseller');
    callers.push({ ...reseller, resellerId: reseller.id, mode: 'live', accountId: account.id, signingKey });
  }
  return callers;
}
