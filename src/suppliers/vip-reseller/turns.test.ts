import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { examplePurchase } from '../../../test/support/supplier-call.ts';
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import type { SupplierCall } from '../wire.ts';
import { createTurns } from './turns.ts';
import { vipResellerKind } from './vip-reseller.ts';

const { signal } = new AbortController();
const TAKEN = { result: true, data: { trxid: 'VP1', status: 'waiting', note: '', price: 1 } };
const TOO_FAST = { result: false, data: null, message: 'Transaksi dibatasi, coba lagi dalam 6 detik.' };

/** The supplier's gate: an order passes if none has passed in the last six seconds. */
function openGate(clock: Clock): SupplierCall & { taken: number } {
  let lastAtMs = Number.NEGATIVE_INFINITY;
  const gate = {
    taken: 0,
    signal,
    async send() {
      const nowMs = clock.now().getTime();
      const passes = nowMs - lastAtMs >= 6 * SECOND_MS;
      if (passes) {
        lastAtMs = nowMs;
        gate.taken += 1;
      }
      return { status: 200, text: JSON.stringify(passes ? TAKEN : TOO_FAST) };
    },
  };
  return gate;
}

/** A worker with this many orders, three of them at a time; each goes on until it is taken. Tells how long each took. */
async function work(clock: Clock, gate: SupplierCall, orders: number): Promise<number[]> {
  const config = { base_url: 'https://vip.example', api_id: 'APIID123', api_key: 'APIKEY456' };
  const adapter = vipResellerKind.create({ code: 'vip', config, clock });
  const took: number[] = [];
  let left = orders;
  const deliverOne = async () => {
    const begunMs = clock.now().getTime();
    for (;;) {
      const outcome = await adapter.placeOrder(examplePurchase(), gate);
      if (outcome.kind !== 'rejected') break;
      await clock.sleep(outcome.retryAfterMs ?? 0);
    }
    took.push(clock.now().getTime() - begunMs);
  };
  const slot = async () => {
    while (left > 0) {
      left -= 1;
      await deliverOne();
    }
  };
  await Promise.all([slot(), slot(), slot()]);
  return took;
}

describe('before a gate that lets one order pass in six seconds', () => {
  test.each([
    { workers: 1, apartMs: 0 },
    { workers: 2, apartMs: 0 },
    { workers: 2, apartMs: 3_000 },
    { workers: 2, apartMs: 3_500 },
    { workers: 2, apartMs: 7_000 },
    { workers: 3, apartMs: 0 },
    { workers: 3, apartMs: 1 },
    { workers: 3, apartMs: 2_000 },
    { workers: 3, apartMs: 7_000 },
  ])('$workers workers that begin $apartMs ms apart all get through', async ({ workers, apartMs }) => {
    const clock = new FakeClock();
    const gate = openGate(clock);
    const begin = async (index: number) => {
      await clock.sleep(index * apartMs);
      return work(clock, gate, 60 / workers);
    };
    const took = (await clock.passUntil(Promise.all(Array.from({ length: workers }, (_, index) => begin(index))))).flat();
    expect(gate.taken).toBe(60);
    expect(Math.max(...took)).toBeLessThan(10 * MINUTE_MS);
    // At its best the gate takes six minutes for them.
    expect(clock.now().getTime() - new FakeClock().now().getTime()).toBeLessThan((workers === 1 ? 9 : 18) * MINUTE_MS);
  });
});

describe('too fast', () => {
  test('orders leave as they come, until it says so; then seven seconds apart, for ten minutes', async () => {
    const clock = new FakeClock();
    const turns = createTurns(clock);
    const first = await turns.enter(signal);
    expect([first.kind, (await turns.enter(signal)).kind]).toEqual(['now', 'now']);
    const leftAt = clock.now();
    turns.slowDown({ leftAt });
    // The second one left with it, and tells nothing new.
    turns.slowDown({ leftAt });
    const left: number[] = [];
    const later: number[] = [];
    const leave = async () => {
      const turn = await turns.enter(signal);
      if (turn.kind === 'later') later.push(turn.afterMs / SECOND_MS);
      else left.push((turn.leftAt.getTime() - leftAt.getTime()) / SECOND_MS);
    };
    const waiting = [leave(), leave(), leave(), leave()];
    await clock.advance(0);
    await clock.advance(MINUTE_MS);
    await Promise.all(waiting);
    expect(left).toEqual([7, 14]);
    expect(later).toEqual([21, 28]);
    await clock.advance(10 * MINUTE_MS);
    expect((await Promise.all([1, 2, 3].map(() => turns.enter(signal)))).map(({ kind }) => kind)).toEqual(['now', 'now', 'now']);
  });

  test('whoever is refused again makes longer gaps, and shorter ones while its orders are taken', async () => {
    const clock = new FakeClock();
    const turns = createTurns(clock);
    const leave = async () => {
      const begunMs = clock.now().getTime();
      const turn = await clock.passUntil(turns.enter(signal));
      if (turn.kind === 'later') throw new Error('Nobody else waits.');
      return { turn, waitedMs: turn.leftAt.getTime() - begunMs };
    };
    turns.slowDown({ leftAt: clock.now() });
    const { turn: refused } = await leave();
    turns.slowDown(refused);
    // Another moment than the one before, so that it does not meet the same order of somebody else again.
    expect((await leave()).waitedMs).toBeGreaterThan(7_000);
    const gapOf = async () => {
      turns.speedUp();
      return (await leave()).waitedMs;
    };
    const gaps = [];
    for (let index = 0; index < 4; index += 1) gaps.push(await gapOf());
    expect(gaps).toEqual([...gaps].sort((one, other) => other - one));
  });

  test('a clock that is set back holds up nobody', async () => {
    const clock = new FakeClock();
    const turns = createTurns(clock);
    turns.slowDown({ leftAt: clock.now() });
    await clock.jump(-HOUR_MS);
    expect(await turns.enter(signal)).toMatchObject({ kind: 'now' });
  });

  test('an order that waits for its turn longer than its time limit is not sent any more, and lets the next one pass', async () => {
    const clock = new FakeClock();
    const turns = createTurns(clock);
    turns.slowDown({ leftAt: clock.now() });
    const impatient = new AbortController();
    const first = turns.enter(impatient.signal);
    const second = turns.enter(signal);
    await clock.advance(0);
    await clock.advance(SECOND_MS);
    impatient.abort();
    await first;
    await clock.advance(6 * SECOND_MS);
    expect(await second).toMatchObject({ kind: 'now', leftAt: clock.now() });
  });
});
