import { expect, test } from 'vitest';
import { z } from 'zod';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { examplePurchase } from '../../test/support/supplier-call.ts';
import { type Log, silentLog } from '../lib/log.ts';
import { apigamesKind } from '../suppliers/apigames/index.ts';
import type { ObservedCall } from '../suppliers/observed-call.ts';
import type { Misconfigured, NotSent, Rejected, Supplier } from '../suppliers/supplier.ts';
import type { Wire } from '../suppliers/wire.ts';
import { connect } from './connection.ts';
import { createRedactor } from './redact.ts';
import { readSettings } from './settings.ts';

const NO: Rejected = { kind: 'rejected', code: 'temporarily_unavailable', retryElsewhere: true, detail: 'logged out' };

const SECRET = 's3cr3t-key';

interface Circumstances {
  clock?: FakeClock;
  config?: Record<string, string>;
  send?: Wire['send'];
  log?: Log;
}

function connectTo(
  outcome: Rejected | Misconfigured | NotSent,
  seen: ObservedCall[],
  supplier: Partial<Supplier> = {},
  {
    clock = new FakeClock(),
    config = {},
    send = () => Promise.reject(new Error('nothing is sent')),
    log = silentLog,
  }: Circumstances = {},
) {
  return connect({
    code: 'api',
    kind: apigamesKind,
    settings: readSettings(apigamesKind, config),
    supplier: {
      placeOrder: async () => outcome,
      checkOrder: async () => (outcome.kind === 'not_sent' ? { kind: 'not_found' } : outcome),
      ...supplier,
    },
    status: 'Active',
    hold: null,
    wire: { send, close() {} },
    redact: createRedactor([SECRET]),
    observe: (call) => seen.push(call),
    clock,
    log,
  });
}

test.each([
  ['misconfigured', { ...NO, misconfigured: true }],
  ['low_balance', { ...NO, lowBalance: true }],
] as const)(
  'a no to an order because of our account (%s) stops further ones; the order itself may go elsewhere',
  async (kind, no) => {
    const seen: ObservedCall[] = [];
    const connection = connectTo(no, seen);
    expect(await connection.placeOrder(examplePurchase())).toEqual(no);
    expect(connection.hold).toEqual({ kind, reason: 'logged out' });
    expect(connection.isAcceptingOrders()).toBe(false);
    expect(seen[0]?.hold).toEqual(connection.hold);
  },
);

test('a purchase that failed only later because of our account stops further ones as well', async () => {
  const connection = connectTo({ ...NO, misconfigured: true }, []);
  expect(await connection.checkOrder(examplePurchase())).toMatchObject({ kind: 'rejected', retryElsewhere: true });
  expect(connection.isAcceptingOrders()).toBe(false);
});

test('a question that was refused because of our credentials says nothing of the purchase, and stops nothing', async () => {
  const connection = connectTo({ kind: 'misconfigured', detail: 'logged out' }, []);
  expect(await connection.checkOrder(examplePurchase())).toEqual({ kind: 'unknown', reason: 'logged out' });
  expect(connection.isAcceptingOrders()).toBe(true);
});

test('a route to an item that the supplier does not have is told to the operator, and stops nothing else', async () => {
  const warned: object[] = [];
  const log = { ...silentLog, warn: (details: object) => warned.push(details) };
  const connection = connectTo({ ...NO, routeAtFault: true, detail: '20 CODE NOT FOUND' }, [], {}, { log });
  await connection.placeOrder(examplePurchase());
  expect(warned).toEqual([{ supplier: 'api', reference: 'TG-1', detail: '20 CODE NOT FOUND' }]);
  expect(connection.isAcceptingOrders()).toBe(true);
});

test('an ordinary no stops nothing', async () => {
  const connection = connectTo(NO, []);
  await connection.placeOrder(examplePurchase());
  expect(connection.isAcceptingOrders()).toBe(true);
});

test.each([
  ['an answer', async () => ({ ...NO, misconfigured: true, detail: `wrong key ${SECRET}` })],
  ['a failure', () => Promise.reject(new Error(`cannot read ${SECRET}`))],
])('a secret in the words of %s is masked wherever the words are kept', async (_what, placeOrder) => {
  const seen: ObservedCall[] = [];
  const connection = connectTo(NO, seen, { placeOrder });
  const outcome = await connection.placeOrder(examplePurchase());
  const kept = JSON.stringify([outcome, seen, connection.hold]);
  expect(kept).toContain('•••');
  expect(kept).not.toContain(SECRET);
});

test('an answer in the wrong form is named in one line', async () => {
  const schema = z.object({ data: z.object({ rc: z.string(), price: z.number(), sn: z.string(), status: z.string() }) });
  const connection = connectTo(NO, [], { placeOrder: async () => schema.parse({ data: { price: '1' } }) as never });
  expect(await connection.placeOrder(examplePurchase())).toMatchObject({
    kind: 'unknown',
    reason: expect.stringMatching(/^The answer cannot be read: data\.rc: [^\n]*; data\.price: [^\n]* \(and 1 more\)$/),
  });
});

test('a supplier that fails before anything is bought rests as one that does not answer, and its orders wait', async () => {
  const seen: ObservedCall[] = [];
  const connection = connectTo({ kind: 'not_sent', reason: 'the player could not be validated: HTTP 502' }, seen);
  for (let time = 0; time < (apigamesKind.limits.circuit?.failures ?? 0); time += 1)
    expect(await connection.placeOrder(examplePurchase())).toMatchObject({ kind: 'not_sent' });
  expect(connection.health).toBe('Resting');
  expect(seen[0]).toMatchObject({ outcome: 'not_sent', detail: 'the player could not be validated: HTTP 502' });
});

test('look-ups, balances and every request of a list count against the calls per second, too', async () => {
  const clock = new FakeClock();
  const sentAt: number[] = [];
  const startedAt = clock.now().getTime();
  const send = async () => {
    sentAt.push(clock.now().getTime() - startedAt);
    return { status: 200, text: '{}' };
  };
  const request = { method: 'GET', url: 'https://s.example/' } as const;
  const connection = connectTo(
    NO,
    [],
    {
      lookupNickname: async (_player, call) => {
        await call.send(request);
        return { kind: 'found', nickname: 'NICK' };
      },
      balance: async (call) => {
        await call.send(request);
        return 1n;
      },
      async listServices(call) {
        await call.send(request);
        await call.send(request);
        return [];
      },
    },
    { clock, send, config: { requests_per_second: '1' } },
  );
  const player = { productCode: 'MLBB', userId: '1', zone: '2' };
  const outcomes = Promise.all([
    connection.lookupNickname(player),
    connection.lookupNickname(player),
    connection.readBalance(),
    connection.listServices([]),
    connection.lookupNickname(player),
  ]);
  await clock.advance(0);
  await clock.advance(10_000);
  expect(sentAt).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  const kinds = (await outcomes).map(({ kind }) => kind);
  // Nobody waits for a name for longer than a second.
  expect(kinds).toEqual(['found', 'found', 'known', 'known', 'unavailable']);
});

test('an order that waited for its turn on a machine that was asleep is not sent: another worker may have it', async () => {
  const clock = new FakeClock();
  const connection = connectTo(NO, [], {}, { clock, config: { requests_per_second: '1' } });
  await connection.placeOrder(examplePurchase());
  const waiting = connection.placeOrder(examplePurchase());
  await clock.jump(3_600_000);
  expect(await waiting).toMatchObject({ kind: 'not_sent' });
});
