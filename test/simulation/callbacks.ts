import { MINUTE_MS } from '../../src/lib/clock.ts';
import type { CallbackMessage } from '../../src/suppliers/supplier.ts';
import type { ShopOrder } from '../simulators/shop.ts';
import type { Books } from './books.ts';
import type { Chance } from './chance.ts';
import type { Fleet } from './fleet.ts';
import type { Tally } from './tally.ts';
import type { Upstream } from './upstream.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface CallbackDeps {
  chance: Chance;
  time: VirtualTime;
  fleet: Fleet;
  books: Books;
  tally: Tally;
}

const LATEST_MS = 5 * MINUTE_MS;
const MAX_TRIES = 3;

/** A supplier tells of a change: at once or late, so in any order, at times twice or never; and somebody may lie in its name. */
export async function callBack(deps: CallbackDeps, upstream: Upstream, order: ShopOrder): Promise<void> {
  const { chance, time, tally, books } = deps;
  const { dialect, shop } = upstream;
  if (!dialect.callback) return;
  const times = chance.weighted([
    [3, 0],
    [6, 1],
    [2, 2],
  ] as const);
  if (times === 0) tally.met('callback: lost');
  if (dialect.forgedCallback && chance.happens(0.1)) {
    tally.met('callback: forged');
    await send(deps, upstream, dialect.forgedCallback(shop, order));
  }
  // What a late message says is what was true when it was written.
  const message = dialect.callback(shop, order);
  const isOfDelivery = shop.stateOf(order) === 'delivered';
  for (let round = 0; round < times; round++) {
    tally.met(round === 0 ? 'callback: sent' : 'callback: sent again');
    await time.sleep(chance.happens(0.5) ? 0 : chance.between(1, LATEST_MS), null);
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const isTaken = await send(deps, upstream, message);
      if (isTaken && isOfDelivery) books.heardMs.set(order, time.nowMs);
      if (isTaken) break;
      await time.sleep(MINUTE_MS, null);
    }
  }
}

/** Whether the message was taken. */
async function send({ chance, time, fleet }: CallbackDeps, { code }: Upstream, message: CallbackMessage): Promise<boolean> {
  const running = fleet.pick(chance);
  if (running === null) return false;
  const { parts, process } = running;
  const key = parts.registry.connection(code).callbackKey ?? '';
  const rawQuery = new URLSearchParams(message.query).toString();
  const received = parts.callbackDesk.receive({ ...message, supplierCode: code, key, rawQuery, remoteAddress: '203.0.113.7' });
  const timer = new AbortController();
  const answer = process.reach(received).then(
    ({ kind }) => kind === 'taken',
    () => false,
  );
  const silence = Promise.race([time.sleep(MINUTE_MS, null, timer.signal), process.death]).then(() => false);
  const isTaken = await Promise.race([answer, silence]);
  timer.abort();
  return isTaken;
}
