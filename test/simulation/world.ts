import type { Caller } from '../../src/http/caller.ts';
import { required } from '../../src/lib/assert.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { repeatIds } from '../../src/lib/ids.ts';
import type { ShopOrder } from '../simulators/shop.ts';
import { Books } from './books.ts';
import { callBack } from './callbacks.ts';
import { Chance } from './chance.ts';
import { Chaos } from './chaos.ts';
import { drawClimate } from './climate.ts';
import type { WorldEngine } from './engine.ts';
import { Fleet } from './fleet.ts';
import type { InspectorDeps, Violation } from './inspect.ts';
import { Operators } from './operators.ts';
import { WorldProcess } from './process.ts';
import { Resellers } from './resellers.ts';
import { drawRoutes, furnish, REVIEW_AFTER_MINUTES } from './setup.ts';
import { castSuppliers, type Suppliers } from './suppliers.ts';
import { Tally } from './tally.ts';
import { Upstream } from './upstream.ts';
import { VirtualTime } from './virtual-time.ts';

export interface WorldOptions {
  seed: number;
  days: number;
}

/** Everything that is in a world. */
export interface World extends InspectorDeps {
  chance: Chance;
  fleet: Fleet;
  callers: Caller[];
  chaos: Chaos;
  tally: Tally;
  upstreams: ReadonlyMap<string, Upstream>;
  /** By when everybody who polls has to look, as a configuration changed. */
  looks: { byMs: number };
  violations: Violation[];
  /** When the next order is due, as of so many statements. */
  due: { atMs: number; asOf: number };
}

/** Makes a world from its seed: an installation with one process, suppliers, resellers and staff. Nothing has happened yet. */
export async function createWorld(engine: WorldEngine, { seed }: WorldOptions): Promise<World> {
  await engine.reset();
  const chance = new Chance(`world ${seed}`);
  const ids = chance.stream('ids');
  repeatIds((stock) => ids.fill(stock));
  const time = new VirtualTime();
  const [books, tally] = [new Books(), new Tally(time)];
  const violations: Violation[] = [];
  const looks = { byMs: Number.POSITIVE_INFINITY };
  const onChange = () => {
    looks.byMs = Math.min(looks.byMs, time.nowMs + SECOND_MS);
  };

  // Every second world is one of the real adapters, so that a seed alone says which it is.
  const from: Suppliers = seed % 2 === 0 ? 'adapters' : 'invented';
  const climate = drawClimate(chance.stream('climate'));
  const cast = castSuppliers(chance.stream('cast'), from);
  const routes = drawRoutes(chance.stream('routes'), cast);
  const clock = { now: () => new Date(time.nowMs), sleep: (durationMs: number) => time.sleep(durationMs, null) };
  const upstreams = new Map<string, Upstream>();
  const onLost = (reference: string) => void operators.meddle(reference);
  const onRefusal = (...refusal: Parameters<Chaos['refused']>) => void chaos.refused(...refusal);
  const onPurchase = (reference: string) => chaos.sent(reference);
  const network = { time, upstreams, books, tally, onLost, onRefusal, onPurchase };
  const databaseFaults = () => chaos.databaseFaults;
  const kinds = cast.map(({ kind }) => kind);
  const fleet = new Fleet({ time, engine, chance: chance.stream('fleet'), tally, kinds, network, databaseFaults });
  const callers: Caller[] = [];
  const parts = { time, engine, fleet, books, tally, upstreams, callers, routes, climate, onChange };
  const operators: Operators = new Operators({ ...parts, chance: chance.stream('operators') });
  const chaos: Chaos = new Chaos({ ...parts, chance: chance.stream('chaos'), operators });
  const report = (what: string) => violations.push({ rule: 'a reference buys once', orderId: null, what });
  const serviceCodes = [...routes.keys()];
  const resellers = new Resellers({
    ...parts,
    chance: chance.stream('resellers'),
    serviceCodes,
    report,
  });
  const callbacks = { chance: chance.stream('callbacks'), time, fleet, books, tally };
  for (const { code, dialect, reversesWithinMs, turnsAwayWith } of cast) {
    const onShopChange = (order: ShopOrder) => callBack(callbacks, upstream, order);
    const upstream: Upstream = new Upstream({
      code,
      dialect,
      clock,
      chance: chance.stream(code),
      reversesWithinMs,
      turnsAwayWith,
      climate,
      onChange: onShopChange,
    });
    upstreams.set(code, upstream);
  }

  const first = await fleet.start();
  if (first === null) throw new Error('The first process did not start.');
  callers.push(...(await furnish(first, { cast, routes })));
  onChange();
  const inspector = new WorldProcess({ name: 'inspector', time, engine, faultOf: () => 'none', isAlone: () => false });
  const { db } = inspector.database;
  const reviewAfterMs = REVIEW_AFTER_MINUTES * MINUTE_MS;
  const working = { sinceMs: null };
  const askableLater = (code: string) => {
    const { lookup, checkMayBuy } = required(
      cast.find((supplier) => supplier.code === code),
      'a supplier',
    ).kind.capabilities;
    return lookup ? (checkMayBuy ? 'confirmed' : 'any') : 'named';
  };
  const spreadMs = 2 * climate.skewMs;
  const confirmsDeliveries = from === 'invented';
  const told = {
    db,
    engine,
    time,
    books,
    resellers,
    operators,
    working,
    reviewAfterMs,
    askableLater,
    spreadMs,
    confirmsDeliveries,
  };
  return { ...told, chance, fleet, callers, chaos, tally, upstreams, looks, violations, due: { atMs: 0, asOf: -1 } };
}
