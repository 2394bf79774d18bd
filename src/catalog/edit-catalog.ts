import type { Db, Tx } from '../db/database.ts';
import { bumpRevision, lockTopic, type RevisionWatch } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { type Amount, toJsonAmount } from '../lib/money.ts';
import { type Actor, describe, describeChange, recordAction } from '../operators/index.ts';
import type { Product, Service, Tier } from './catalog.ts';
import { type TellingDeps, tellingChanges } from './service-changes.ts';
import {
  listProducts,
  listServices,
  listTierPrices,
  listTiers,
  saveProducts,
  saveServices,
  saveTier,
  saveTierPrice,
} from './store.ts';

export interface EditDeps extends TellingDeps {
  db: Db;
  clock: Clock;
  revisions: RevisionWatch;
  /** Somebody has decided about the states of these services: nothing else may undo it by itself. */
  onStatesSet: (tx: Tx, serviceCodes: string[]) => Promise<void>;
}

export type EditOutcome<Item> =
  | { kind: 'saved'; item: Item }
  | { kind: 'exists' }
  | { kind: 'not_found' }
  | { kind: 'unknown_product' }
  | { kind: 'unknown_service'; code: string };

/** What came of an edit, and of something saved, what it was before: for the audit log. */
type Edited<Item> =
  | Exclude<EditOutcome<Item>, { kind: 'saved' }>
  | { kind: 'saved'; item: Item; details: Record<string, unknown> };

type New<Item> = Omit<Item, 'createdAt' | 'updatedAt'>;

export async function createProduct(deps: EditDeps, actor: Actor, product: New<Product>): Promise<EditOutcome<Product>> {
  return edit(deps, actor, { action: 'product.create', subject: product.code }, async (tx, now) => {
    if ((await listProducts(tx)).some(({ code }) => code === product.code)) return { kind: 'exists' };
    return saveProduct(tx, null, { ...product, createdAt: now, updatedAt: now });
  });
}

export async function changeProduct(
  deps: EditDeps,
  actor: Actor,
  code: string,
  change: Partial<New<Product>>,
): Promise<EditOutcome<Product>> {
  return edit(deps, actor, { action: 'product.change', subject: code }, async (tx, now) => {
    const before = (await listProducts(tx)).find((product) => product.code === code);
    return before ? saveProduct(tx, before, { ...before, ...change, updatedAt: now }) : { kind: 'not_found' };
  });
}

export async function createService(deps: EditDeps, actor: Actor, service: New<Service>): Promise<EditOutcome<Service>> {
  return edit(deps, actor, { action: 'service.create', subject: service.code }, async (tx, now) => {
    if ((await listServices(tx)).some(({ code }) => code === service.code)) return { kind: 'exists' };
    if (!(await listProducts(tx)).some(({ code }) => code === service.productCode)) return { kind: 'unknown_product' };
    return saveService(tx, null, { ...service, createdAt: now, updatedAt: now });
  });
}

export async function changeService(
  deps: EditDeps,
  actor: Actor,
  code: string,
  change: Partial<New<Service>>,
): Promise<EditOutcome<Service>> {
  return edit(deps, actor, { action: 'service.change', subject: code }, async (tx, now) => {
    const before = (await listServices(tx)).find((service) => service.code === code);
    if (!before) return { kind: 'not_found' };
    if (change.status !== undefined) await deps.onStatesSet(tx, [code]);
    return saveService(tx, before, { ...before, ...change, updatedAt: now });
  });
}

export async function createTier(deps: EditDeps, actor: Actor, tier: New<Tier>): Promise<EditOutcome<Tier>> {
  return edit(deps, actor, { action: 'tier.create', subject: tier.code }, async (tx, now) => {
    if ((await listTiers(tx)).some(({ code }) => code === tier.code)) return { kind: 'exists' };
    const item = { ...tier, createdAt: now, updatedAt: now };
    await saveTier(tx, item);
    return { kind: 'saved', item, details: describe({ ...item }) };
  });
}

/** Changes a tier's rule, and sets or removes its explicit prices. */
export async function changeTier(
  deps: EditDeps,
  actor: Actor,
  code: string,
  change: Partial<New<Tier>>,
  prices: Map<string, Amount | null>,
): Promise<EditOutcome<Tier>> {
  return edit(deps, actor, { action: 'tier.change', subject: code }, async (tx, now) => {
    const before = (await listTiers(tx)).find((tier) => tier.code === code);
    if (!before) return { kind: 'not_found' };
    const services = new Set((await listServices(tx)).map((service) => service.code));
    const unknown = [...prices.keys()].find((serviceCode) => !services.has(serviceCode));
    if (unknown !== undefined) return { kind: 'unknown_service', code: unknown };
    const item = { ...before, ...change, updatedAt: now };
    const explicit = (await listTierPrices(tx)).filter(({ tierCode }) => tierCode === code);
    const pricesBefore = Object.fromEntries(explicit.map(({ serviceCode, price }) => [serviceCode, price]));
    await saveTier(tx, item);
    for (const [serviceCode, price] of prices) await saveTierPrice(tx, code, serviceCode, price);
    const changed = describePrices(pricesBefore, prices);
    return {
      kind: 'saved',
      item,
      details: { ...describeChange({ ...before }, { ...item }), ...(prices.size > 0 && { prices: changed }) },
    };
  });
}

/** One change of the catalogue: decided by what is stored while nobody else changes it, written, told, noted in the audit log, and seen by this process before it answers. */
async function edit<Item>(
  deps: EditDeps,
  actor: Actor,
  action: { action: string; subject: string },
  work: (tx: Tx, now: Date) => Promise<Edited<Item>>,
): Promise<EditOutcome<Item>> {
  const outcome = await inTransaction(deps.db, async (tx) => {
    await lockTopic(tx, 'catalog');
    const result = await tellingChanges(tx, deps, () => work(tx, deps.clock.now()));
    if (result.kind !== 'saved') return result;
    await bumpRevision(tx, 'catalog');
    await recordAction(tx, deps.clock, actor, { ...action, details: result.details });
    return result;
  });
  if (outcome.kind === 'saved') await deps.revisions.check();
  return outcome;
}

async function saveProduct(tx: Tx, before: Product | null, item: Product): Promise<Edited<Product>> {
  await saveProducts(tx, [item]);
  return { kind: 'saved', item, details: before ? describeChange({ ...before }, { ...item }) : describe({ ...item }) };
}

async function saveService(tx: Tx, before: Service | null, item: Service): Promise<Edited<Service>> {
  await saveServices(tx, [item]);
  return { kind: 'saved', item, details: before ? describeChange({ ...before }, { ...item }) : describe({ ...item }) };
}

/** The explicit prices of a tier that were set or removed, by service. */
function describePrices(before: Record<string, Amount>, given: Map<string, Amount | null>): Record<string, unknown> {
  const toJson = (price: Amount | null | undefined) => (price === null || price === undefined ? null : toJsonAmount(price));
  return Object.fromEntries([...given].map(([code, price]) => [code, { before: toJson(before[code]), after: toJson(price) }]));
}
