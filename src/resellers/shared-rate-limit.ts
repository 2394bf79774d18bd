import { LRUCache } from 'lru-cache';
import { type Clock, withTimeLimit } from '../lib/clock.ts';
import { GroupCommit } from '../lib/group-commit.ts';
import type { Log } from '../lib/log.ts';
import { createRateLimit, MAX_RESELLERS, type RateDecision, type RateLimit } from './rate-limit.ts';
import type { TokenGrant, TokenRequest } from './rate-store.ts';
import { TokenShare } from './token-share.ts';

export interface SharedRateLimitDeps {
  clock: Clock;
  log: Log;
  perSecond: number;
  /** True while no other process answers resellers: memory is then enough. */
  isAlone: () => boolean;
  /** Takes tokens from the buckets that all processes share. */
  takeTokens: (requests: TokenRequest[]) => Promise<Map<string, TokenGrant>>;
}

interface Ask {
  resellerId: string;
  /** False: a share for later, while the last one is not used up. */
  isWaitedFor: boolean;
}

/** `unknown`: the database did not say. */
type Told = 'granted' | 'refused' | 'unknown';

/** A request waits no longer than this for its token. */
const PATIENCE_MS = 200;
const MAX_ASKS = 512;
const MAX_WAITING = 10_000;

/**
 * One limit over all processes. Tokens come from buckets in the database, before they are used, in shares: so no spread of
 * requests over processes gets more than the limit, and one process alone can have all of it. What all resellers need at a
 * moment is one statement, and a busy reseller's requests are decided in memory.
 *
 * When the database does not answer in time, this process's own bucket decides, which lets through the limit in each process:
 * refusing would turn a pause of the database into errors for reads that memory could answer, and orders fail by themselves then.
 */
export class SharedRateLimit implements RateLimit {
  readonly perSecond: number;
  readonly #deps: SharedRateLimitDeps;
  readonly #local: (resellerId: string) => RateDecision;
  readonly #shares = new LRUCache<string, TokenShare>({ max: MAX_RESELLERS });
  readonly #asks: GroupCommit<Ask, Told>;
  /** Resellers whose next share is asked for already. */
  readonly #askedAhead = new Set<string>();
  #isSilent = false;
  #fallbacks = 0;

  constructor(deps: SharedRateLimitDeps) {
    this.perSecond = deps.perSecond;
    this.#deps = deps;
    this.#local = createRateLimit(deps.clock, deps.perSecond);
    this.#asks = new GroupCommit({ maxBatch: MAX_ASKS, maxQueue: MAX_WAITING, flush: (asks) => this.#ask(asks) });
  }

  /** Requests that this process decided alone because the database did not answer. */
  get fallbacks(): number {
    return this.#fallbacks;
  }

  take(resellerId: string): RateDecision | Promise<RateDecision> {
    // Counted at all times: this bucket decides whenever the shared one cannot.
    const local = this.#local(resellerId);
    if (this.#deps.isAlone()) return local;
    const share = this.#shareOf(resellerId);
    const nowMs = this.#nowMs();
    if (share.use(nowMs)) {
      if (share.isLow(nowMs)) this.#askAhead(resellerId);
      return { allowed: true, remaining: share.remaining(nowMs) };
    }
    if (share.isBucketEmpty(nowMs)) return { allowed: false, retryAfterSeconds: share.retryAfterSeconds(nowMs) };
    if (this.#isSilent) {
      // Nobody waits for a database that is silent, but one asks on, to notice when it is back.
      this.#askAhead(resellerId);
      return this.#fallBack(local);
    }
    return this.#wait(resellerId, share, local);
  }

  /** Resolves when nothing is under way. */
  drain(): Promise<void> {
    return this.#asks.drain();
  }

  async #wait(resellerId: string, share: TokenShare, local: RateDecision): Promise<RateDecision> {
    const asked = this.#asks.tryAdd({ resellerId, isWaitedFor: true });
    if (asked === null) return this.#fallBack(local);
    const answer = await withTimeLimit(this.#deps.clock, PATIENCE_MS, () => asked);
    if (answer.timedOut) this.#noteSilence('no answer in time');
    const told = answer.timedOut ? 'unknown' : answer.value;
    if (told === 'unknown') return this.#fallBack(local);
    const nowMs = this.#nowMs();
    if (told === 'granted') return { allowed: true, remaining: share.remaining(nowMs) };
    return { allowed: false, retryAfterSeconds: share.retryAfterSeconds(nowMs) };
  }

  #askAhead(resellerId: string): void {
    if (this.#askedAhead.has(resellerId)) return;
    if (this.#asks.tryAdd({ resellerId, isWaitedFor: false }) !== null) this.#askedAhead.add(resellerId);
  }

  /** Asks for what all resellers need now. Whoever waits gets the tokens first, in the order of arrival. */
  async #ask(asks: Ask[]): Promise<Told[]> {
    const byReseller = Map.groupBy(asks, ({ resellerId }) => resellerId);
    const requests = [...byReseller].map(([resellerId, group]) => {
      const waiting = group.filter(({ isWaitedFor }) => isWaitedFor).length;
      return { resellerId, wanted: Math.max(waiting, this.#shareOf(resellerId).size(this.#nowMs())) };
    });
    for (const { resellerId } of requests) this.#askedAhead.delete(resellerId);
    let grants: Map<string, TokenGrant>;
    try {
      grants = await this.#deps.takeTokens(requests);
    } catch (error) {
      this.#noteSilence((error as Error).message);
      return asks.map(() => 'unknown');
    }
    this.#isSilent = false;
    const nowMs = this.#nowMs();
    for (const [resellerId, grant] of grants) this.#shareOf(resellerId).add(grant, nowMs);
    return asks.map(({ resellerId, isWaitedFor }) =>
      isWaitedFor && this.#shareOf(resellerId).use(nowMs) ? 'granted' : 'refused',
    );
  }

  #shareOf(resellerId: string): TokenShare {
    const known = this.#shares.get(resellerId);
    if (known) return known;
    const share = new TokenShare(this.perSecond);
    this.#shares.set(resellerId, share);
    return share;
  }

  #fallBack(local: RateDecision): RateDecision {
    this.#fallbacks += 1;
    return local;
  }

  #noteSilence(reason: string): void {
    if (!this.#isSilent)
      this.#deps.log.warn({ reason }, 'The database does not count requests in time; each process counts alone meanwhile.');
    this.#isSilent = true;
  }

  #nowMs(): number {
    return this.#deps.clock.now().getTime();
  }
}
