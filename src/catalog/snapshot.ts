import type { Db } from '../db/database.ts';
import type { RevisionWatch } from '../db/revisions.ts';
import { required } from '../lib/assert.ts';
import type { Amount } from '../lib/money.ts';
import { type Product, priceFor, type Service, type Tier } from './catalog.ts';
import { listProducts, listServices, listTierPrices, listTiers } from './store.ts';

/** The whole catalogue as of one moment. Never changed: a new one replaces it. */
export interface Catalog {
  /** Grows with every replacement; part of the ETag. */
  readonly version: number;
  readonly products: ReadonlyMap<string, Product>;
  readonly services: ReadonlyMap<string, Service>;
  readonly tiers: ReadonlyMap<string, Tier>;
  price(service: Service, tierCode: string): Amount;
  servicesOf(productCode: string): Service[];
}

export interface CatalogCache {
  current(): Catalog;
}

/** Keeps the catalogue in memory: an order looks it up without asking the database, a change shows within a second. */
export async function openCatalogCache(db: Db, revisions: RevisionWatch): Promise<CatalogCache> {
  let catalog: Catalog | null = null;
  await revisions.subscribe('catalog', async () => {
    catalog = await loadCatalog(db, (catalog?.version ?? 0) + 1);
  });
  return { current: () => required(catalog, 'the catalogue') };
}

/** The catalogue as the database has it; inside a transaction, as that transaction has left it. */
export async function loadCatalog(db: Db, version: number): Promise<Catalog> {
  const products = new Map((await listProducts(db)).map((product) => [product.code, product]));
  const services = new Map((await listServices(db)).map((service) => [service.code, service]));
  const tiers = new Map((await listTiers(db)).map((tier) => [tier.code, tier]));
  const prices = new Map((await listTierPrices(db)).map((row) => [`${row.tierCode} ${row.serviceCode}`, row.price]));
  const byProduct = Map.groupBy(services.values(), (service) => service.productCode);
  return {
    version,
    products,
    services,
    tiers,
    price(service, tierCode) {
      const tier = required(tiers.get(tierCode), `tier ${tierCode}`);
      return priceFor(service, tier, prices.get(`${tierCode} ${service.code}`));
    },
    servicesOf: (productCode) => byProduct.get(productCode) ?? [],
  };
}
