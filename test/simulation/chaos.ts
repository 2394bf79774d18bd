import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import type { Chance } from './chance.ts';
import type { Climate } from './climate.ts';
import type { Fleet } from './fleet.ts';
import type { Operators } from './operators.ts';
import type { WorldProcess } from './process.ts';
import type { Tally } from './tally.ts';
import type { Upstream } from './upstream.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface ChaosDeps {
  time: VirtualTime;
  chance: Chance;
  fleet: Fleet;
  operators: Operators;
  tally: Tally;
  upstreams: ReadonlyMap<string, Upstream>;
  climate: Climate;
}

const USUAL_DATABASE_FAULTS = 0.0005;
const LONGER_THAN_IN_DOUBT_MS = 12 * MINUTE_MS;

/** What goes wrong with processes, clocks, the database and the weather at suppliers. */
export class Chaos {
  isOver = false;
  databaseFaults = 0;
  readonly #deps: ChaosDeps;
  /** Those who sleep until a purchase is sent again, by its reference. */
  readonly #wakers = new Map<string, () => void>();
  #isRefusalAwaited = false;

  constructor(deps: ChaosDeps) {
    this.#deps = deps;
  }

  /** Everything is set up: from now on things go wrong. */
  begin(): void {
    this.databaseFaults = USUAL_DATABASE_FAULTS;
  }

  async strike(): Promise<void> {
    const { chance, fleet } = this.#deps;
    const process = fleet.pick(chance)?.process;
    await chance.weighted<() => Promise<void>>([
      [10, () => this.#crash(process)],
      [30, () => this.#doom(process)],
      [8, () => this.#suspend(process)],
      [10, async () => this.#awaitRefusal()],
      [3, () => this.#suspendAll()],
      [8, () => this.#restart()],
      [8, () => this.#setClock(process)],
      [12, () => this.#databaseSpell()],
      [30, () => this.#supplierSpell()],
    ])();
  }

  /** From now on nothing goes wrong any more. */
  end(): void {
    this.isOver = true;
    this.databaseFaults = 0;
    for (const upstream of this.#deps.upstreams.values()) {
      upstream.clear();
      upstream.conditions.faults = 0;
      upstream.isOver = true;
    }
    for (const { process } of this.#deps.fleet.serving) {
      process.doom = null;
      process.skewMs = 0;
      process.resume();
    }
  }

  async #crash(process: WorldProcess | undefined): Promise<void> {
    if (!process) return;
    this.#deps.tally.met('process: killed');
    await this.#deps.fleet.kill(process);
  }

  /** The process dies, or falls asleep, at some point of its work, which is where most mistakes would show. */
  async #doom(process: WorldProcess | undefined): Promise<void> {
    if (!process || process.doom !== null) return;
    const { chance, tally } = this.#deps;
    const dies = chance.happens(0.5);
    tally.met(dies ? 'process: killed at its work' : 'process: suspended at its work');
    const at = chance.pick(['network', 'network', 'statement', 'write', 'attempt', 'attempt', 'claim', 'commit'] as const);
    const strike = dies ? () => process.die() : async () => void this.#sleepThrough(process);
    process.doom = { at, left: chance.between(1, 12), isBefore: chance.happens(0.5), strike };
  }

  /** A machine that was suspended, or a long pause: leases run out, others take over, and then it goes on. */
  async #suspend(process: WorldProcess | undefined): Promise<void> {
    if (!process) return;
    this.#deps.tally.met('process: suspended');
    await this.#sleep(process);
  }

  async #sleep(process: WorldProcess): Promise<void> {
    const { chance, time, tally } = this.#deps;
    if (this.isOver) return;
    tally.happened(`${process.name} is suspended`);
    process.pause();
    await time.sleep(chance.waitMs(chance.happens(0.3) ? 20 * MINUTE_MS : 3 * MINUTE_MS), null);
    process.resume();
    tally.happened(`${process.name} goes on`);
  }

  /** It sleeps for long, and in the meantime nothing is sold anywhere; at times it wakes just when that is over. */
  async #sleepThrough(process: WorldProcess): Promise<void> {
    const { chance, time, tally, upstreams } = this.#deps;
    if (!chance.happens(0.5)) return this.#sleep(process);
    if (this.isOver) return;
    tally.met('weather: everything is sold out');
    tally.happened(`${process.name} is suspended, and everything is sold out`);
    const items = [...upstreams.values()].flatMap(({ shop }) => shop.items.filter(({ available }) => available));
    for (const item of items) item.available = false;
    process.pause();
    await time.sleep(chance.between(MINUTE_MS, 25 * MINUTE_MS), null);
    for (const item of items) item.available = true;
    process.resume();
    tally.happened(`${process.name} goes on, and things are sold again`);
  }

  /** The next refusal of a purchase reaches nobody for a while. */
  #awaitRefusal(): void {
    this.#isRefusalAwaited = true;
  }

  /**
   * A purchase was refused, and who sent it falls asleep with the answer on its way. The supplier is not reached for longer than
   * a no may be in doubt. Then the sender wakes as somebody else sends the purchase again, and has the old no to tell.
   */
  async refused(process: WorldProcess, upstream: Upstream, reference: string): Promise<void> {
    const { time, tally } = this.#deps;
    if (!this.#isRefusalAwaited || this.isOver || process.isAsleep) return;
    this.#isRefusalAwaited = false;
    tally.met('process: suspended with a refusal');
    tally.happened(`${process.name} is suspended, and ${upstream.code} is not reached`);
    process.pause();
    upstream.conditions.isDown = true;
    await time.sleep(LONGER_THAN_IN_DOUBT_MS, null);
    if (!this.isOver) upstream.clear();
    const sentAgain = new Promise<void>((resolve) => {
      this.#wakers.set(reference, resolve);
    });
    await Promise.race([sentAgain, time.sleep(HOUR_MS, null)]);
    this.#wakers.delete(reference);
    process.resume();
    tally.happened(`${process.name} goes on`);
  }

  /** Whoever sleeps with an answer about this purchase wakes. */
  sent(reference: string): void {
    this.#wakers.get(reference)?.();
  }

  /** The whole machine sleeps: for all of its processes the clock jumps. */
  async #suspendAll(): Promise<void> {
    const { chance, time, tally, fleet } = this.#deps;
    tally.met('clock: jumps');
    tally.happened('the machine sleeps');
    const all = fleet.serving.map(({ process }) => process);
    for (const process of all) process.pause();
    await time.sleep(chance.waitMs(20 * MINUTE_MS), null);
    for (const process of all) process.resume();
    tally.happened('the machine wakes');
  }

  /** A new version is installed: the process finishes what it has and ends. */
  async #restart(): Promise<void> {
    const { chance, tally, fleet } = this.#deps;
    const running = fleet.pick(chance);
    if (running === null) return;
    tally.met('process: restarted');
    tally.happened(`${running.process.name} is told to stop`);
    fleet.retire(running);
    await Promise.race([running.parts.close().catch(() => undefined), running.process.death]);
    await fleet.kill(running.process);
  }

  async #setClock(process: WorldProcess | undefined): Promise<void> {
    if (!process) return;
    const { chance, tally, climate } = this.#deps;
    tally.met('clock: set');
    process.skewMs = chance.happens(0.3) ? 0 : chance.between(-climate.skewMs, climate.skewMs);
    tally.happened(`the clock of ${process.name} is off by ${process.skewMs} ms`);
  }

  async #databaseSpell(): Promise<void> {
    const { chance, time, tally } = this.#deps;
    this.databaseFaults = chance.happens(0.3) ? 0.3 : 0.03;
    tally.happened(`${this.databaseFaults * 100} % of all calls to the database fail`);
    await time.sleep(chance.waitMs(5 * MINUTE_MS), null);
    tally.happened('the database works');
    this.databaseFaults = this.isOver ? 0 : USUAL_DATABASE_FAULTS;
  }

  async #supplierSpell(): Promise<void> {
    const { chance, time, tally, operators, upstreams } = this.#deps;
    const upstream = chance.pick([...upstreams.values()]);
    const { conditions, shop } = upstream;
    const spell = chance.weighted([
      [30, 'down'],
      [60, 'flaky'],
      [40, 'requests are late'],
      [15, 'refuses our address'],
      [15, 'our balance is used up'],
      [15, 'an item is gone'],
      [15, 'a price rises'],
    ] as const);
    tally.met(`weather: ${spell}`);
    tally.happened(`${upstream.code}: ${spell}`);
    if (spell === 'down') conditions.isDown = true;
    if (spell === 'flaky') conditions.faults = chance.pick([0.2, 0.5, 0.9]);
    if (spell === 'requests are late') conditions.late = chance.pick([0.2, 0.6]);
    if (spell === 'refuses our address') conditions.refusesUs = true;
    if (spell === 'our balance is used up') shop.balance = 0n;
    const item = chance.pick(shop.items);
    if (spell === 'an item is gone') item.available = false;
    if (spell === 'a price rises') item.price += 1_500n;
    await time.sleep(chance.waitMs(chance.happens(0.1) ? 2 * HOUR_MS : 8 * MINUTE_MS), null);
    if (!this.isOver) upstream.clear();
    item.available = true;
    await operators.mend(upstream);
    tally.happened(`${upstream.code}: over`);
  }
}
