import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Mode } from '../lib/mode.ts';
import type { Amount } from '../lib/money.ts';
import type { Catalog } from './snapshot.ts';

/** Whether anybody would deliver a service now at this price: its suppliers' hours, holds and costs decide that, not the catalogue. */
export type IsSoldNow = (query: { mode: Mode; serviceCode: string; price: Amount }) => boolean;

/** The services that nobody would deliver now. `id` is another one whenever they are others. */
export interface Closed {
  id: number;
  codes: ReadonlySet<string>;
}

/** Asking for all services on every request would be most of its work, and nobody orders within a second of reading the list. */
const LOOK_EVERY_MS = SECOND_MS;

const NOTHING: Closed = { id: 0, codes: new Set() };

/** Remembers for each tier which services are closed, so that a list of them shows what an order would meet. */
export class Closings {
  readonly #clock: Clock;
  readonly #isSoldNow: IsSoldNow;
  readonly #known = new Map<string, { catalog: Catalog; atMs: number; closed: Closed }>();
  #lastId = 0;

  constructor(clock: Clock, isSoldNow: IsSoldNow) {
    this.#clock = clock;
    this.#isSoldNow = isSoldNow;
  }

  /** Test orders are always delivered. */
  of(catalog: Catalog, { mode, tierCode }: { mode: Mode; tierCode: string }): Closed {
    if (mode === 'test') return NOTHING;
    const atMs = this.#clock.now().getTime();
    const known = this.#known.get(tierCode);
    const isFresh = known?.catalog === catalog && atMs - known.atMs < LOOK_EVERY_MS;
    if (isFresh) return known.closed;
    const codes = new Set<string>();
    for (const service of catalog.services.values()) {
      const price = catalog.price(service, tierCode);
      if (!this.#isSoldNow({ mode, serviceCode: service.code, price })) codes.add(service.code);
    }
    const before = known?.closed ?? NOTHING;
    const isSame = before.codes.size === codes.size && [...codes].every((code) => before.codes.has(code));
    const closed = isSame ? before : { id: ++this.#lastId, codes };
    this.#known.set(tierCode, { catalog, atMs, closed });
    return closed;
  }
}
