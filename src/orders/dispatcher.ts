import type { Db } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Signal } from '../lib/signal.ts';
import type { SupplierRegistry } from '../suppliers/index.ts';
import { type Claim, claimOrders } from './claim-orders.ts';
import type { Attempt, Order } from './order.ts';
import type { Finding, SettlementQueue } from './settle-orders.ts';
import { findNextDue } from './store.ts';

export interface DispatcherDeps {
  db: Db;
  clock: Clock;
  log: Log;
  registry: SupplierRegistry;
  settlements: SettlementQueue;
}

export interface Dispatcher {
  /** Something may be due now, for these suppliers or for all. */
  wake(supplierCodes?: Iterable<string>): void;
  /** Takes nothing new and waits, at most `limitMs`, for what is under way. What is not done by then is found again by its lease. */
  stop(limitMs: number): Promise<void>;
}

const MAX_CLAIM = 256;
/** Nothing depends on this poll but the worst case: everything is woken by signals, and every row has its time. */
const POLL_MS = SECOND_MS;

/**
 * Works off due orders: one lane per supplier, each with its own limit of open calls, so that a slow supplier delays nobody
 * else's orders. A lane takes as many orders as it has room for, calls the supplier outside any transaction, and hands the
 * answers to the settlement queue.
 */
export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const lanes = new Map<string, Lane>();
  const watcher = new Signal();
  const stopping = new AbortController();

  const wake = (code: string) => lanes.get(code)?.wake();
  const openLanes = () => {
    for (const code of deps.registry.codes()) {
      if (!lanes.has(code)) lanes.set(code, new Lane(deps, code, wake, stopping.signal));
    }
  };
  openLanes();
  // Suppliers are added while the service runs.
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      await watcher.wait(deps.clock.sleep(POLL_MS, stopping.signal));
      openLanes();
    }
  })();

  return {
    wake(supplierCodes) {
      for (const code of supplierCodes ?? lanes.keys()) wake(code);
    },
    async stop(limitMs) {
      stopping.abort();
      watcher.raise();
      const finished = Promise.all([watching, ...[...lanes.values()].map((lane) => lane.finish())]);
      const timer = new AbortController();
      await Promise.race([finished, deps.clock.sleep(limitMs, timer.signal)]);
      timer.abort();
    },
  };
}

class Lane {
  readonly #deps: DispatcherDeps;
  readonly #code: string;
  readonly #wakeLane: (supplierCode: string) => void;
  readonly #stopping: AbortSignal;
  readonly #signal = new Signal();
  readonly #working = new Set<Promise<void>>();
  readonly #running: Promise<void>;

  constructor(deps: DispatcherDeps, code: string, wakeLane: (supplierCode: string) => void, stopping: AbortSignal) {
    this.#deps = deps;
    this.#code = code;
    this.#wakeLane = wakeLane;
    this.#stopping = stopping;
    this.#running = this.#run();
  }

  wake(): void {
    this.#signal.raise();
  }

  async finish(): Promise<void> {
    this.#signal.raise();
    await this.#running;
    await Promise.all(this.#working);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.aborted) {
      try {
        const idleMs = await this.#takeDue();
        if (idleMs > 0) await this.#idle(idleMs);
      } catch (error) {
        this.#deps.log.error({ err: error, supplier: this.#code }, 'Could not take due orders; trying again.');
        await this.#idle(POLL_MS);
      }
    }
  }

  async #idle(durationMs: number): Promise<void> {
    const timer = new AbortController();
    const stop = () => timer.abort();
    this.#stopping.addEventListener('abort', stop, { once: true });
    await this.#signal.wait(this.#deps.clock.sleep(durationMs, timer.signal));
    this.#stopping.removeEventListener('abort', stop);
    timer.abort();
  }

  /** Starts work on what is due and answers how long the lane may rest; 0 when there may be more to take. */
  async #takeDue(): Promise<number> {
    const supplier = this.#deps.registry.connection(this.#code);
    const room = Math.min(MAX_CLAIM, supplier.kind.limits.concurrency - this.#working.size);
    if (room <= 0) return POLL_MS;
    this.#signal.lower();
    const claims = await claimOrders(this.#deps, supplier, room);
    for (const claim of claims) this.#start(claim);
    // Under load there is always more to take, and asking when would be a query for nothing.
    if (claims.length === room || this.#signal.isRaised) return 0;
    const next = await findNextDue(this.#deps.db, this.#code);
    if (next === null) return POLL_MS;
    return Math.min(POLL_MS, Math.max(1, next.getTime() - this.#deps.clock.now().getTime()));
  }

  #start(claim: Claim): void {
    const work = this.#work(claim)
      .catch((error) => {
        // The lease runs out by itself and the order is taken up again.
        this.#deps.log.error({ err: error, order: claim.order.id }, 'Work on an order failed; it is taken up again.');
      })
      .finally(() => {
        this.#working.delete(work);
        if (this.#working.size >= this.#deps.registry.connection(this.#code).kind.limits.concurrency - 1) this.#signal.raise();
      });
    this.#working.add(work);
  }

  async #work(claim: Claim): Promise<void> {
    const learnt = await this.#perform(claim);
    if (learnt === null) return;
    const { accountId, id: orderId } = claim.order;
    const settled = await this.#deps.settlements.submit({ accountId, orderId, lease: claim.lease, learnt });
    this.#hurry(settled);
  }

  async #perform({ order, step, until }: Claim): Promise<Finding['learnt'] | null> {
    if (step.kind !== 'send' && step.kind !== 'check') return step;
    const supplier = this.#deps.registry.connection(step.attempt.supplierCode);
    const purchase = toPurchase(order, step.attempt);
    if (step.kind === 'check')
      return { kind: 'outcome', attemptNumber: step.attempt.number, outcome: await supplier.checkOrder(purchase) };
    // A worker that was stopped between taking the order and now (a suspended machine, say) may have lost its lease.
    if (this.#deps.clock.now().getTime() + supplier.kind.limits.placeLimitMs > until.getTime()) return null;
    return { kind: 'outcome', attemptNumber: step.attempt.number, outcome: await supplier.placeOrder(purchase) };
  }

  /** An order that is due again before the next poll wakes the lane it is in now, which may be another supplier's. */
  #hurry(order: Order): void {
    if (order.nextActionAt === null) return;
    const inMs = order.nextActionAt.getTime() - this.#deps.clock.now().getTime();
    if (inMs < POLL_MS) this.#wakeLane(order.supplierCode);
  }
}

function toPurchase(order: Order, attempt: Attempt) {
  return {
    reference: attempt.reference,
    sku: attempt.sku,
    userId: order.userId,
    zone: order.zone,
    accountText: attempt.accountText,
    cost: attempt.cost,
    sends: attempt.sends,
  };
}
