import { expect, test } from 'vitest';
import { FakeClock, TEST_START } from '../../test/support/fake-clock.ts';
import { type Script, type ScriptedCall, scriptedReceivers } from '../../test/support/scripted-receiver.ts';
import type { Delivery } from './delivery.ts';
import type { Endpoint } from './endpoint.ts';
import { newWebhookSecret } from './secret.ts';
import { makeVisit } from './visit-endpoints.ts';

const CALLS = 4;
const UUID = '019ca7c5-6b58-7000-8000-000000000000';

function delivery(_: unknown, index: number): Delivery {
  return {
    id: `delivery ${index + 1}`,
    endpointId: UUID,
    event: {
      id: UUID,
      accountId: UUID,
      sequence: BigInt(index + 1),
      type: 'order.success',
      orderId: null,
      data: {},
      at: TEST_START,
    },
    state: 'Pending',
    tries: 0,
    attempts: 0,
    nextAttemptAt: TEST_START,
    createdAt: TEST_START,
    updatedAt: TEST_START,
  };
}

const endpoint: Endpoint = {
  id: UUID,
  accountId: UUID,
  url: 'https://shop.example/hook',
  types: [],
  status: 'Active',
  disabledReason: null,
  failingSince: null,
  lease: UUID,
  createdAt: TEST_START,
  updatedAt: TEST_START,
};

/** Visits an endpoint where a hundred deliveries wait; answers the sequence numbers of the calls, and of the results. */
async function visit(clock: FakeClock, answer: (call: ScriptedCall) => Script) {
  const sender = scriptedReceivers(clock);
  sender.script(answer);
  const deliveries = Array.from({ length: 100 }, delivery);
  const plan = { endpoint, lease: UUID, deliveries, secrets: [newWebhookSecret()] };
  const report = await makeVisit({ clock, sender, timeZone: 'UTC' }, plan, CALLS);
  const sent = sender.calls.map(({ event }) => event.sequence);
  const recorded = report.results.map(({ deliveryId }) => Number(deliveryId.slice('delivery '.length)));
  return { sent, recorded: recorded.toSorted((left, right) => left - right) };
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test('a visit sends all it has, oldest first', async () => {
  const { sent, recorded } = await visit(new FakeClock(), () => 200);
  expect(sent).toEqual(upTo(100));
  expect(recorded).toEqual(upTo(100));
});

test('after a failure no call begins, and those under way are recorded', async () => {
  const { sent, recorded } = await visit(new FakeClock(), ({ event }) => (event.sequence === 10 ? 503 : 200));
  expect(sent.length).toBeLessThan(10 + CALLS);
  expect(recorded).toEqual(sent);
});

test('a visit begins no call after its second, so that what was sent is recorded soon', async () => {
  const clock = new FakeClock();
  const { sent, recorded } = await visit(clock, ({ event }) => {
    if (event.sequence === 10) void clock.advance(1_000);
    return 200;
  });
  expect(sent.length).toBeLessThan(10 + CALLS);
  expect(recorded).toEqual(sent);
});
