import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Topgate } from '../../sdk/src/index.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { scriptedReceivers } from '../support/scripted-receiver.ts';
import type { TestReseller } from '../support/service.ts';
import { virtualService } from '../support/virtual-service.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const clock = new FakeClock();
const receivers = scriptedReceivers(clock);
const world = virtualService({ clock, webhookSender: receivers });
let reseller: TestReseller;
let webhooks: Topgate['webhooks'];
beforeEach(async () => {
  receivers.script(() => 200);
  receivers.calls.length = 0;
  reseller = await world.topgate().reseller();
  webhooks = reseller.topgate.webhooks;
});

const urlOf = (name: string) => `https://${name}.example/hook`;
const callsTo = (name: string) => receivers.calls.filter(({ url }) => url === urlOf(name));
const register = async (name: string) => (await webhooks.create({ url: urlOf(name) })).webhook_id;
const deliveries = async (id: string) => (await webhooks.deliveries(id, { limit: 200 }).page()).data;

test('a delivery that fails is tried ten times over three days, each time with the same id, then it has failed', async () => {
  receivers.script(() => 500);
  const id = await register('down');
  const startedAt = clock.now().getTime();
  await webhooks.test(id);
  // The first seconds one by one, the days in leaps.
  await world.pass(10 * SECOND);
  await world.leap(4 * DAY, HOUR / 2);
  const calls = callsTo('down');
  expect(calls).toHaveLength(10);
  expect(new Set(calls.map((call) => call.id)).size).toBe(1);
  const waits = calls.map(({ at }, index) => at.getTime() - (calls[index - 1]?.at.getTime() ?? startedAt));
  const planned = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * SECOND);
  // A wait is the planned one with up to a tenth more, and up to a leap.
  for (const [index, waited] of waits.entries()) {
    expect(waited).toBeGreaterThanOrEqual(planned[index] ?? Number.NaN);
    expect(waited).toBeLessThanOrEqual((planned[index] ?? Number.NaN) * 1.1 + HOUR / 2);
  }
  const [delivery] = await deliveries(id);
  expect(delivery).toMatchObject({ status: 'Failed', next_attempt_at: null });
  expect(delivery?.attempts).toHaveLength(10);
  const metrics = await world.topgate().raw({ method: 'GET', url: '/metrics' });
  expect(metrics.body).toMatch(/^topgate_webhook_attempts_total\{outcome="failed"\} 10$/m);
}, 60_000);

test('a receiver that is unplugged for a day loses no event', async () => {
  const id = await register('unplugged');
  receivers.script(() => 'refused');
  const refs = Array.from({ length: 40 }, (_, index) => `DAY-${index}`);
  for (const ref_id of refs) {
    await reseller.buy({ ref_id });
    await world.leap(HOUR / 2, HOUR / 2);
  }
  receivers.script(() => 200);
  receivers.calls.length = 0;
  await world.leap(16 * HOUR, HOUR / 2);
  const told = callsTo('unplugged').map(({ event }) => event.data['ref_id']);
  expect(told.toSorted()).toEqual(refs.toSorted());
  const list = await deliveries(id);
  expect(list.map(({ status }) => status)).toEqual(refs.map(() => 'Delivered'));
  expect((await webhooks.get(id)).failing_since).toBeNull();
}, 60_000);

test('a receiver that is back need not wait: one call sends what has not come through', async () => {
  const id = await register('impatient');
  receivers.script(() => 'refused');
  const since = clock.now().toISOString();
  for (let count = 0; count < 20; count += 1) await reseller.buy();
  await world.leap(8 * HOUR, HOUR / 2);
  receivers.script(() => 200);
  receivers.calls.length = 0;
  // The orders, and the deposit of the same moment, which was made before the endpoint was there.
  expect(await webhooks.recover(id, { since })).toEqual({ queued: 21, has_more: false });
  await world.settle();
  expect(callsTo('impatient')).toHaveLength(21);
  expect((await webhooks.recover(id, { since })).queued).toBe(0);
});

test('five days of failures disable the endpoint; one success in between starts them anew', async () => {
  receivers.script(() => 503);
  const id = await register('dead');
  for (let day = 0; day < 4; day += 1) {
    await webhooks.test(id);
    await world.leap(DAY, HOUR);
  }
  receivers.script(() => 200);
  await webhooks.test(id);
  await world.settle();
  expect(await webhooks.get(id)).toMatchObject({ status: 'Active', failing_since: null });
  receivers.script(() => 503);
  for (let day = 0; day < 5; day += 1) {
    await webhooks.test(id);
    await world.leap(DAY, HOUR);
    expect((await webhooks.get(id)).status).toBe('Active');
  }
  await webhooks.test(id);
  await world.settle();
  expect(await webhooks.get(id)).toMatchObject({ status: 'Disabled', disabled_reason: 'failing' });
  const metrics = await world.topgate().raw({ method: 'GET', url: '/metrics' });
  expect(metrics.body).toMatch(/^topgate_webhook_endpoints_disabled_total 1$/m);
  receivers.calls.length = 0;
  await world.leap(DAY, HOUR);
  expect(callsTo('dead')).toEqual([]);
}, 60_000);

test('a rotated secret signs for a day and then no more', async () => {
  const id = await register('rotating');
  await webhooks.rotateSecret(id);
  const secrets = async () => {
    const { rows } = await sql`select id from webhook_secrets where expires_at is null or expires_at > ${clock.now()}`.execute(
      world.db(),
    );
    return rows.length;
  };
  const before = await secrets();
  await world.leap(DAY + HOUR, HOUR);
  expect(await secrets()).toBe(before - 1);
});

describe('of a hundred endpoints ten hang', () => {
  test('the other ninety have everything before any time has passed, and later events too while the ten still hang', async () => {
    const owners = await Promise.all(Array.from({ length: 10 }, () => world.topgate().reseller({ balance: 10_000_000 })));
    const names: string[] = [];
    for (const [row, owner] of owners.entries())
      for (let column = 0; column < 10; column += 1) {
        const name = `e${row}-${column}`;
        await owner.topgate.webhooks.create({ url: urlOf(name) });
        names.push(name);
      }
    const hangs = (name: string) => name.endsWith('-7');
    receivers.script(({ url }) => (hangs(new URL(url).hostname.split('.')[0] ?? '') ? 'hang' : 200));
    const orders = 25;
    const placeAll = () => Promise.all(owners.map((owner) => Promise.all(Array.from({ length: orders }, () => owner.buy()))));

    const startedAt = clock.now();
    await placeAll();
    await world.settle();
    expect(clock.now()).toEqual(startedAt);
    const successes = (name: string) => callsTo(name).filter(({ event }) => event.type === 'order.success').length;
    for (const name of names.filter((each) => !hangs(each))) expect(successes(name), name).toBe(orders);
    expect(receivers.hanging).toBeGreaterThanOrEqual(10);

    // Five minutes later the ten are known to fail, and hang on in their own lane.
    await world.leap(5 * MINUTE, 10 * SECOND);
    await placeAll();
    await world.settle();
    for (const name of names.filter((each) => !hangs(each))) expect(successes(name), name).toBe(2 * orders);
  }, 60_000);
});
