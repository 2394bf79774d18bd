import type { SupplierRegistry } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import { after, type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { Signal } from '../lib/signal.ts';
import { finishWithin, WorkLoop } from '../lib/work-loop.ts';
import type { Routing } from '../routing/index.ts';
import type { Purchase } from '../suppliers/index.ts';
import { type ClaimNew, decideNewClaims, type NewClaims } from './claim-new-orders.ts';
import { type Claim, claimOrders, longestCallMs } from './claim-orders.ts';
import { type Attempt, isConfirmed, type Order } from './order.ts';
import type { Finding, SettlementQueue } from './settle-orders.ts';
import { findNextDue } from './store.ts';

export interface DispatcherDeps {
  db: Db;
  clock: Clock;
  log: Log;
  registry: SupplierRegistry;
  routing: Routing;
  settlements: SettlementQueue;
  timeZone: string;
  /** False while this machine's clock is too wrong to hold orders by. */
  mayTake: () => boolean;
}

export interface Dispatcher {
  /** Takes new orders as far as their suppliers have room and nothing older waits: they are sent right after they are written. */
  claimNew: ClaimNew;
  /** Something may be due now, for these suppliers or for all. */
  wake(supplierCodes?: Iterable<string>): void;
  /** Orders taken since the start, each as often as it was taken. */
  readonly taken: number;
  /** Takes nothing new and waits, at most `limitMs`, for what is under way. What is not done by then is found again by its lease. */
  stop(limitMs: number): Promise<void>;
}

/** The work for one supplier. */
interface Lane {
  code: string;
  loop: WorkLoop;
  /** Room kept for new orders that are being written. */
  reserved: number;
  /** More was due than could be taken. New orders then wait their turn. */
  isBehind: boolean;
  /** Orders taken since the start. */
  taken: number;
}

/** Wakes the lane of a supplier. */
type WakeLane = (supplierCode: string) => void;

const MAX_CLAIM = 256;
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

  const wake = (code: string) => lanes.get(code)?.loop.wake();
  const openLane = (code: string): Lane => {
    const loop = new WorkLoop({
      clock: deps.clock,
      log: deps.log,
      stopping: stopping.signal,
      pollMs: POLL_MS,
      subject: `orders for supplier ${code}`,
      takeDue: () => takeDue(deps, lane, wake),
    });
    const lane: Lane = { code, loop, reserved: 0, isBehind: true, taken: 0 };
    return lane;
  };
  const openLanes = () => {
    for (const code of deps.registry.codes()) if (!lanes.has(code)) lanes.set(code, openLane(code));
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
    claimNew: (orders) => claimNew(deps, stopping.signal.aborted || !deps.mayTake() ? new Map() : lanes, wake, orders),
    wake(supplierCodes) {
      for (const code of supplierCodes ?? lanes.keys()) wake(code);
    },
    get taken() {
      return [...lanes.values()].reduce((total, lane) => total + lane.taken, 0);
    },
    async stop(limitMs) {
      stopping.abort();
      watcher.raise();
      const finished = Promise.all([watching, ...[...lanes.values()].map(({ loop }) => loop.finish())]);
      await finishWithin(deps.clock, limitMs, finished);
    },
  };
}

/** Starts work on what is due and answers how long the lane may rest; 0 when there may be more to take. */
async function takeDue(deps: DispatcherDeps, lane: Lane, wakeLane: WakeLane): Promise<number> {
  const room = Math.min(MAX_CLAIM, roomOf(deps, lane));
  if (room <= 0 || !deps.mayTake()) return POLL_MS;
  const claims = await claimOrders(deps, deps.registry.connection(lane.code), room);
  start(deps, lane, wakeLane, claims);
  lane.isBehind = claims.length === room;
  // Under load there is always more to take, and asking when would be a query for nothing.
  if (lane.isBehind || lane.loop.isWoken) return 0;
  const next = await findNextDue(deps.db, lane.code);
  return next === null ? POLL_MS : Math.max(1, next.getTime() - deps.clock.now().getTime());
}

function claimNew(deps: DispatcherDeps, lanes: Map<string, Lane>, wakeLane: WakeLane, orders: Order[]): NewClaims {
  const now = deps.clock.now();
  const held: { lane: Lane; claims: Claim[] }[] = [];
  for (const [code, ofSupplier] of Map.groupBy(orders, (order) => order.supplierCode)) {
    const lane = lanes.get(code);
    if (!lane || lane.isBehind) continue;
    const room = roomOf(deps, lane);
    const claims = decideNewClaims(deps, deps.registry.connection(code), ofSupplier, { room, now });
    lane.reserved += claims.length;
    lane.isBehind = claims.length < ofSupplier.length;
    held.push({ lane, claims });
  }
  const claims = new Map(held.flatMap((entry) => entry.claims).map((claim) => [claim.order.id, claim]));
  const release = () => {
    for (const entry of held.splice(0)) entry.lane.reserved -= entry.claims.length;
  };
  return {
    orders: orders.map((order) => claims.get(order.id)?.order ?? order),
    attempts: [...claims.values()].flatMap(({ step }) => (step.kind === 'send' ? [step.attempt] : [])),
    begin() {
      for (const entry of held) start(deps, entry.lane, wakeLane, entry.claims);
      release();
      for (const order of orders) if (!claims.has(order.id)) wakeLane(order.supplierCode);
    },
    release,
  };
}

function start(deps: DispatcherDeps, lane: Lane, wakeLane: WakeLane, claims: Claim[]): void {
  lane.taken += claims.length;
  for (const claim of claims) {
    lane.loop.start(
      () => work(deps, wakeLane, claim),
      // A full lane rests; the first free place wakes it.
      () => {
        if (roomOf(deps, lane) <= 1) lane.loop.wake();
      },
    );
  }
}

function roomOf(deps: DispatcherDeps, { code, loop, reserved }: Lane): number {
  return deps.registry.connection(code).settings.limits.concurrency - loop.underWay - reserved;
}

async function work(deps: DispatcherDeps, wakeLane: WakeLane, claim: Claim): Promise<void> {
  const learnt = await perform(deps, claim);
  if (learnt === null) return;
  const { accountId, id: orderId } = claim.order;
  const settled = await deps.settlements.submit({ accountId, orderId, lease: claim.lease, learnt });
  // An order that is due again before the next poll wakes the lane it is in now, which may be another supplier's.
  if (settled.nextActionAt === null) return;
  if (settled.nextActionAt.getTime() - deps.clock.now().getTime() < POLL_MS) wakeLane(settled.supplierCode);
}

async function perform(deps: DispatcherDeps, { order, step, until }: Claim): Promise<Finding['learnt'] | null> {
  if (step.kind !== 'send' && step.kind !== 'check') return step;
  const supplier = deps.registry.connection(step.attempt.supplierCode);
  const purchase = toPurchase(order, step.attempt);
  // A worker that was stopped between taking the order and now (a suspended machine, say) may have lost its lease.
  if (after(deps.clock.now(), longestCallMs(supplier, step.kind)) > until) return null;
  const { number: attemptNumber, sends, checks, updatedAt: at } = step.attempt;
  const kind = step.kind === 'send' ? ('place' as const) : ('check' as const);
  const request = { kind, attemptNumber, sends, checks, wasConfirmed: isConfirmed(step.attempt), at };
  const outcome = await (step.kind === 'send' ? supplier.placeOrder(purchase) : supplier.checkOrder(purchase));
  return { kind: 'outcome', request, outcome };
}

export function toPurchase(order: Order, attempt: Attempt): Purchase {
  return {
    reference: attempt.reference,
    supplierReference: attempt.supplierReference,
    sku: attempt.sku,
    userId: order.userId,
    zone: order.zone,
    accountText: attempt.accountText,
    cost: attempt.cost,
    sends: attempt.sends,
    createdAt: attempt.createdAt,
  };
}
