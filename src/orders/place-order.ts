import type { Catalog, CatalogCache, Product, Service } from '../catalog/index.ts';
import { effectiveStatus } from '../catalog/index.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../http/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Amount } from '../lib/money.ts';
import { checkIdentifier, type IdentifierIssue, type NicknameLookup, type PlayerAccount } from '../players/index.ts';
import type { Routing } from '../routing/index.ts';
import { type Admission, type Candidate, decideRepeat } from './admission.ts';
import type { AdmissionQueue } from './admit-orders.ts';
import type { OrderRequest } from './contract.ts';
import { findOrder } from './store.ts';

export interface PlaceOrderDeps {
  db: Db;
  clock: Clock;
  catalog: CatalogCache;
  nicknames: NicknameLookup;
  routing: Routing;
  admissions: AdmissionQueue;
}

/** A request whose form and signature are good. */
export interface PlaceOrderRequest extends PlayerAccount {
  serviceCode: string;
  refId: string;
  maxPrice: Amount | null;
}

/** The request in the words of this room. */
export function toPlaceOrderRequest(body: OrderRequest): PlaceOrderRequest {
  return {
    serviceCode: body.service_code,
    refId: body.ref_id,
    userId: body.account_identifier.user_id,
    zone: body.account_identifier.zone,
    maxPrice: body.max_price === undefined ? null : BigInt(body.max_price),
  };
}

/** Why an order is refused before the balance is even looked at. Nothing was created then. */
export type Refusal =
  | { kind: 'service_not_found' }
  | { kind: 'service_unavailable'; status: 'Unavailable' | 'Maintenance' }
  | { kind: 'invalid_account_identifier'; issues: IdentifierIssue[] }
  | { kind: 'player_not_found' }
  | { kind: 'overloaded' };

export type PlaceOrderOutcome = Admission | Refusal;

/**
 * Places an order. The checks have the order the interface promises: is the `ref_id` used, is the service there, does the
 * player's account fit, does the player exist, then price and balance.
 *
 * The `ref_id` comes first, but is looked up first only where that matters: when a later check fails, or when the nickname
 * would have to be asked for. Otherwise the admission batch finds an earlier order itself, under the account's lock, and the
 * usual order costs no query of its own.
 */
export async function placeOrder(deps: PlaceOrderDeps, caller: Caller, request: PlaceOrderRequest): Promise<PlaceOrderOutcome> {
  const catalog = deps.catalog.current();
  const item = findItem(deps, catalog, request, caller);
  if (item.kind !== 'orderable') return (await findRepeat(deps, caller, request)) ?? item;

  const { mode } = caller;
  let nickname = deps.nicknames.known(mode, item.product, request);
  if (nickname === null) {
    const repeat = await findRepeat(deps, caller, request);
    if (repeat) return repeat;
    nickname = await deps.nicknames.find(mode, item.product, request, catalog);
  }
  if (nickname.kind === 'not_found') return (await findRepeat(deps, caller, request)) ?? { kind: 'player_not_found' };

  const name = nickname.kind === 'found' ? nickname.nickname : '';
  const admission = deps.admissions.submit(toCandidate(deps, caller, request, item, name));
  return admission ?? { kind: 'overloaded' };
}

interface Item {
  kind: 'orderable';
  product: Product;
  service: Service;
  price: Amount;
  /** Who shall try first. */
  supplierCode: string;
}

function findItem(
  { routing }: PlaceOrderDeps,
  catalog: Catalog,
  request: PlaceOrderRequest,
  { mode, tierCode }: Caller,
): Item | Refusal {
  const service = catalog.services.get(request.serviceCode);
  const product = service && catalog.products.get(service.productCode);
  if (!service || !product) return { kind: 'service_not_found' };
  const status = effectiveStatus(service, product);
  if (status !== 'Available') return { kind: 'service_unavailable', status };
  const price = catalog.price(service, tierCode);
  const route = routing.routeForNew({ mode, serviceCode: service.code, price });
  // Nobody could deliver it now, or only at a loss: it is not sold, rather than sold and given back.
  if (route === null) return { kind: 'service_unavailable', status: 'Unavailable' };
  const issues = checkIdentifier(product, request);
  if (issues.length > 0) return { kind: 'invalid_account_identifier', issues };
  return { kind: 'orderable', product, service, price, supplierCode: route.supplierCode };
}

async function findRepeat(deps: PlaceOrderDeps, caller: Caller, request: PlaceOrderRequest): Promise<Admission | null> {
  const earlier = await findOrder(deps.db, { accountId: caller.accountId, refId: request.refId });
  return earlier && decideRepeat(earlier, request);
}

function toCandidate(deps: PlaceOrderDeps, caller: Caller, request: PlaceOrderRequest, item: Item, nickname: string): Candidate {
  const now = deps.clock.now();
  return {
    accountId: caller.accountId,
    orderId: newId(now),
    transferId: newId(now),
    mode: caller.mode,
    refId: request.refId,
    productCode: item.product.code,
    serviceCode: item.service.code,
    serviceName: item.service.name,
    userId: request.userId,
    zone: request.zone,
    nickname,
    maxPrice: request.maxPrice,
    price: item.price,
    supplierCode: item.supplierCode,
    lowBalanceThreshold: caller.lowBalanceThreshold,
    at: now,
  };
}
