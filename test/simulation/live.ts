import { createHash } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import type { Chance } from './chance.ts';
import type { WorldEngine } from './engine.ts';
import { inspect, inspectEnd, type Violation } from './inspect.ts';
import { findUntold } from './news.ts';
import { tellStory } from './story.ts';
import type { Tally } from './tally.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

export interface WorldReport {
  violations: Violation[];
  /** Of the first order that something is wrong with. */
  story: string[];
  tally: Tally;
  orders: number;
  hours: number;
  statements: number;
  /** Of everything that is left in the database and the suppliers' books: two runs of a seed have the same. */
  digest: string;
}

const ORDER_EVERY_MS = 15 * MINUTE_MS;
const OPERATOR_EVERY_MS = 40 * MINUTE_MS;
const CHAOS_EVERY_MS = 60 * MINUTE_MS;
const POLL_MS = SECOND_MS;
const LOOK_EVERY_MS = 20 * MINUTE_MS;
const RESTART_AFTER_MS = MINUTE_MS;
/** How long after the last fault everything may take to come to rest. */
const REST_MS = 30 * HOUR_MS;
const OPENING_BALANCE = 1_500_000n;

/** One simulated world, from an empty database to the moment when everything has come to rest. */
export async function runWorld(engine: WorldEngine, options: WorldOptions): Promise<WorldReport> {
  const world = await createWorld(engine, options);
  const { time, tally, violations } = world;
  const startMs = time.nowMs;
  await live(world, startMs + options.days * DAY_MS);
  if (violations.length === 0) violations.push(...(await inspectEnd(world)));
  for (const { state, count } of await engine.read('select state, count(*)::int as count from orders group by state'))
    tally.met(`orders: ${state}`, Number(count));
  const [row] = await engine.read('select count(*)::int as orders from orders');
  const [first] = violations.filter(({ orderId }) => orderId !== null);
  const report: WorldReport = {
    violations,
    story: violations.length === 0 ? [] : first?.orderId ? await tellStory(world, first.orderId) : tally.chronicle.slice(-40),
    tally,
    orders: Number(row?.['orders']),
    hours: (time.nowMs - startMs) / HOUR_MS,
    statements: engine.statements,
    digest: await digestOf(world),
  };
  for (const { process } of [...world.fleet.serving]) await world.fleet.kill(process);
  return report;
}

/** Lets time go on from one thing that happens to the next, until nothing is under way any more or something is wrong. */
async function live(world: World, endMs: number): Promise<void> {
  const { chance, time, engine, fleet, violations, looks, chaos } = world;
  const open = begin(world, endMs);
  const lookers = chance.stream('lookers');
  let inspectAtMs = time.nowMs + HOUR_MS;
  let lookedAtMs = 0;
  while (violations.length === 0) {
    await engine.idle();
    const dueMs =
      fleet.awake === 0 ? Number.POSITIVE_INFINITY : Math.max((await nextDueMs(world)) - fleet.aheadMs, lookedAtMs + POLL_MS);
    time.nowMs = Math.max(time.nowMs, Math.min(time.nextEventMs(), dueMs, looks.byMs, inspectAtMs));
    if (Math.min(dueMs, looks.byMs) <= time.nowMs) {
      lookedAtMs = time.nowMs;
      look(world, lookers);
      await engine.idle();
    }
    while (time.wakeNext()) await engine.idle();
    noteWork(world);
    if (time.nowMs < inspectAtMs) continue;
    // Somebody fell asleep in the middle of a transaction: whoever looks has to wait, as everybody does.
    inspectAtMs = engine.isHeld ? time.nowMs + SECOND_MS : inspectAtMs + HOUR_MS;
    if (engine.isHeld) continue;
    violations.push(...(await inspect(world)));
    if (time.nowMs < endMs) continue;
    if (!chaos.isOver) await comeToRest(world);
    if (time.nowMs > endMs + REST_MS || (open.size === 0 && (await isAtRest(world)))) return;
    open.start(world.operators.review(0.8));
  }
}

/**
 * Something is due. Some process notices, as one of several would be the first to poll; when the configuration changed, all do.
 * To let each poll every second would make a world of a day some hundred times slower, and find nothing.
 */
function look({ fleet, looks, time, due }: World, chance: Chance): void {
  if (looks.byMs <= time.nowMs) {
    looks.byMs = time.nowMs + LOOK_EVERY_MS;
    time.wakePolls();
  } else {
    const parts = fleet.pick(chance, (process) => due.atMs <= process.clock.now().getTime())?.parts;
    parts?.wakeCallbacks();
    parts?.wakeDispatcher();
  }
}

/** Starts everybody who acts by themselves. What goes wrong in the world's own code is a violation, too. */
function begin(world: World, endMs: number) {
  const { chance, chaos, fleet, operators, resellers, callers, time, violations } = world;
  const running = new Set<Promise<void>>();
  const open = {
    get size() {
      return running.size;
    },
    start(work: Promise<void>): void {
      const ended = work
        .catch((error: Error) => {
          violations.push({ rule: 'the world holds together', orderId: null, what: error.stack ?? error.message });
        })
        .finally(() => running.delete(ended));
      running.add(ended);
    },
  };
  const repeat = async (stream: Chance, everyMs: number, act: () => Promise<void>) => {
    for (;;) {
      await time.sleep(stream.waitMs(everyMs), null);
      if (time.nowMs >= endMs || chaos.isOver) return;
      open.start(act());
    }
  };
  for (const caller of callers) open.start(operators.deposit(caller, OPENING_BALANCE));
  open.start(repeat(chance.stream('orders'), ORDER_EVERY_MS, () => resellers.act()));
  open.start(repeat(chance.stream('staff'), OPERATOR_EVERY_MS, () => operators.act()));
  open.start(repeat(chance.stream('trouble'), CHAOS_EVERY_MS, () => chaos.strike()));
  const restarts = chance.stream('restarts');
  const slots = restarts.happens(0.75) ? 2 : 1;
  for (let slot = 0; slot < slots; slot++) {
    const keepRunning = async () => {
      let current = slot === 0 ? fleet.serving[0] : await fleet.start();
      for (;;) {
        await current?.process.death;
        if (current) fleet.remove(current.process);
        await time.sleep(restarts.waitMs(RESTART_AFTER_MS), null);
        current = (await fleet.start()) ?? undefined;
      }
    };
    keepRunning().catch((error: Error) => {
      violations.push({ rule: 'the world holds together', orderId: null, what: error.stack ?? error.message });
    });
  }
  chaos.begin();
  return open;
}

/** Only when somebody has worked undisturbed for a while can it be said that something is late. */
function noteWork({ fleet, chaos, working, time }: World): void {
  const isWorking = fleet.awake > 0 && chaos.databaseFaults < 0.01;
  if (!isWorking) working.sinceMs = null;
  else working.sinceMs ??= time.nowMs;
}

async function comeToRest({ chaos, operators, upstreams, looks, time }: World): Promise<void> {
  chaos.end();
  looks.byMs = time.nowMs + SECOND_MS;
  for (const upstream of upstreams.values()) void operators.mend(upstream);
}

async function nextDueMs({ engine, due }: World): Promise<number> {
  if (due.asOf === engine.statements) return due.atMs;
  const [row] = await engine.read(`
    select least((select min(next_action_at) from orders where next_action_at is not null),
                 (select min(due_at) from supplier_callbacks where due_at is not null)) as due`);
  const found = row?.['due'];
  due.atMs = found instanceof Date ? found.getTime() : Number.POSITIVE_INFINITY;
  due.asOf = engine.statements;
  return due.atMs;
}

async function isAtRest(world: World): Promise<boolean> {
  const { engine, time } = world;
  const [row] = await engine.read(`
    select count(*)::int as open from orders
    where (state = 'Process' and review_since is null) or (state = 'Success' and next_action_at is not null and resolved_by is null)`);
  return row?.['open'] === 0 && (await findUntold(world, time.nowMs)).length === 0;
}

const DIGESTED = ['orders', 'transfers', 'attempts', 'events', 'audit_log', 'feeds', 'routes'];

async function digestOf({ engine, upstreams }: World): Promise<string> {
  const digest = createHash('sha256');
  for (const table of DIGESTED) {
    const [row] = await engine.read(`select coalesce(string_agg(t::text, ';' order by t::text), '') as rows from ${table} t`);
    digest.update(`${table} ${row?.['rows']}`);
  }
  for (const { code, shop } of upstreams.values())
    digest.update(
      `${code} ${shop.orders.map((order) => `${order.id} ${order.reference} ${order.takenAt.toISOString()}`).join(';')}`,
    );
  return digest.digest('hex').slice(0, 16);
}
