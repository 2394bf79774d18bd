import { LRUCache } from 'lru-cache';
import type { Catalog, Product } from '../catalog/index.ts';
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS, withTimeLimit } from '../lib/clock.ts';
import type { Mode } from '../lib/mode.ts';
import { SingleFlight } from '../lib/single-flight.ts';
import type { Routing } from '../routing/index.ts';
import type { LookupOutcome } from '../suppliers/index.ts';
import type { PlayerAccount } from './identifier.ts';

export type NicknameOutcome = LookupOutcome | { kind: 'not_supported' };

export interface NicknameLookup {
  /** The answer that is already known, or null when a supplier would have to be asked. */
  known(mode: Mode, product: Product, player: PlayerAccount): NicknameOutcome | null;
  /** Asks the suppliers that can tell, one after the other, within the time limit; equal questions at once are asked once. */
  find(mode: Mode, product: Product, player: PlayerAccount, catalog: Pick<Catalog, 'servicesOf'>): Promise<NicknameOutcome>;
}

const FOUND_FOR_MS = 24 * HOUR_MS;
const NOT_FOUND_FOR_MS = 5 * MINUTE_MS;
const LOOKUP_LIMIT_MS = 3 * SECOND_MS;
const MAX_REMEMBERED = 100_000;

export function createNicknameLookup(deps: { clock: Clock; routing: Pick<Routing, 'lookups'> }): NicknameLookup {
  const remembered = new LRUCache<string, { outcome: LookupOutcome; untilMs: number }>({ max: MAX_REMEMBERED });
  const asking = new SingleFlight<NicknameOutcome>();

  const known = (mode: Mode, product: Product, player: PlayerAccount): NicknameOutcome | null => {
    if (!product.nicknameLookup) return { kind: 'not_supported' };
    const entry = remembered.get(keyOf(mode, product, player));
    return entry && entry.untilMs > deps.clock.now().getTime() ? entry.outcome : null;
  };

  const ask = async (
    mode: Mode,
    product: Product,
    player: PlayerAccount,
    catalog: Pick<Catalog, 'servicesOf'>,
  ): Promise<NicknameOutcome> => {
    const serviceCodes = catalog.servicesOf(product.code).map((service) => service.code);
    const suppliers = deps.routing.lookups(mode, serviceCodes);
    let outcome: NicknameOutcome = { kind: 'not_supported' };
    for (const supplier of suppliers) {
      outcome = await supplier.lookupNickname({ productCode: product.code, ...player });
      if (outcome.kind !== 'unavailable') break;
    }
    remember(keyOf(mode, product, player), outcome);
    return outcome;
  };

  const remember = (key: string, outcome: NicknameOutcome) => {
    if (outcome.kind !== 'found' && outcome.kind !== 'not_found') return;
    const forMs = outcome.kind === 'found' ? FOUND_FOR_MS : NOT_FOUND_FOR_MS;
    remembered.set(key, { outcome, untilMs: deps.clock.now().getTime() + forMs });
  };

  return {
    known,
    async find(mode, product, player, catalog) {
      const answer = known(mode, product, player);
      if (answer) return answer;
      const limited = await withTimeLimit(deps.clock, LOOKUP_LIMIT_MS, () =>
        asking.run(keyOf(mode, product, player), () => ask(mode, product, player, catalog)),
      );
      return limited.timedOut ? { kind: 'unavailable', reason: 'no answer in time' } : limited.value;
    },
  };
}

/** No part can hold a control character, so a line feed keeps the parts apart. */
function keyOf(mode: Mode, product: Product, player: PlayerAccount): string {
  return [mode, product.code, player.userId, player.zone].join('\n');
}
