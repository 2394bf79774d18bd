import { describe, expect, expectTypeOf, test } from 'vitest';
import { freePort } from '../../test/support/postgres-server.ts';
import {
  type AttemptReport,
  isTopgateError,
  Topgate,
  TopgateAbortError,
  TopgateConnectionError,
  TopgateError,
  type TopgateOptions,
  TopgateOutcomeUnknownError,
  TopgateTimeoutError,
} from '../src/index.ts';
import { ORDER, orderData } from './support/examples.ts';
import { cutShort, data, faultServer, lost, type Play, refusal, silent, stranger } from './support/fault-server.ts';
import { InstantClock } from './support/instant-clock.ts';

const server = faultServer();

function open(options: Partial<TopgateOptions> = {}) {
  const clock = new InstantClock();
  const reports: AttemptReport[] = [];
  const topgate = new Topgate({
    baseUrl: server.url(),
    token: 'tg_test_x',
    signingSecret: 'tgs_x',
    clock,
    onAttempt: (report) => reports.push(report),
    ...options,
  });
  return { topgate, clock, reports };
}

/** The error of a call that has to fail. */
async function errorOf(call: Promise<unknown>): Promise<TopgateError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof TopgateError) return error;
  throw new Error(`Not an error of the library: ${error}`);
}

describe('an order', () => {
  test.each<[string, Play]>([
    ['a lost answer', lost],
    ['an answer that breaks off', cutShort],
    ['a fault of the service', refusal(500, 'internal_error', { retryable: true })],
    ['a proxy that got no answer', stranger(502)],
    ['too many requests', refusal(429, 'rate_limited', { retryable: true, headers: { 'retry-after': '1' } })],
    ['an overloaded service', refusal(503, 'overloaded', { retryable: true, headers: { 'retry-after': '1' } })],
  ])('survives %s: the same request is sent again, byte for byte', async (_name, fault) => {
    server.play(fault, fault, data(orderData()));
    const { topgate } = open();
    expect(await topgate.orders.create(ORDER)).toEqual(orderData());
    expect(server.seen).toHaveLength(3);
    expect(new Set(server.seen.map(({ body }) => body)).size).toBe(1);
  });

  test('whose answers all get lost is reported as unknown, with the way to find out', async () => {
    const error = await errorOf(open().topgate.orders.create(ORDER));
    expect(error).toBeInstanceOf(TopgateOutcomeUnknownError);
    expect(error).toMatchObject({ code: 'outcome_unknown', retryable: true, details: { ref_id: 'INV-1001' }, status: null });
    expect(error.message).toMatch(/not known whether the order INV-1001 was created/);
    expect(error.message).toMatch(/orders\.status\(\{ ref_id: 'INV-1001' \}\)/);
    expect(error.message).toMatch(/same ref_id: it is never bought twice/);
    expect(error.cause).toMatchObject({ code: 'connection_failed', sent: true });
    expect(server.seen).toHaveLength(5);
  });

  test('whose first answer got lost stays unknown when the next try is refused before the reference was looked for', async () => {
    server.play(lost, refusal(403, 'account_suspended'));
    const error = await errorOf(open().topgate.orders.create(ORDER));
    expect(error).toMatchObject({ code: 'outcome_unknown', status: 403, cause: { code: 'account_suspended' } });
    server.play(lost, ...Array<Play>(4).fill(refusal(429, 'rate_limited', { retryable: true })));
    expect(await errorOf(open().topgate.orders.create(ORDER))).toMatchObject({ code: 'outcome_unknown', status: 429 });
  });

  test('whose first answer got lost does not exist when a later try is refused after the reference was looked for', async () => {
    server.play(lost, refusal(402, 'insufficient_balance', { retryable: true, details: { balance: 1, price: 2 } }));
    const error = await errorOf(open().topgate.orders.create(ORDER));
    expect(error).toMatchObject({ code: 'insufficient_balance', details: { balance: 1, price: 2 }, status: 402 });
  });

  test('that was certainly never carried out is not called unknown', async () => {
    server.play(...Array<Play>(5).fill(refusal(503, 'maintenance', { retryable: true })));
    expect(await errorOf(open().topgate.orders.create(ORDER))).toMatchObject({ code: 'maintenance', status: 503 });
    const refused = await errorOf(open({ baseUrl: `http://127.0.0.1:${await freePort()}` }).topgate.orders.create(ORDER));
    expect(refused).toMatchObject({ code: 'connection_failed', sent: false });
  });

  test('that is ended by its signal while it is under way is unknown; before that it is merely aborted', async () => {
    const ending = new AbortController();
    server.play(() => ending.abort(new Error('the shop closes')));
    const error = await errorOf(open().topgate.orders.create(ORDER, { signal: ending.signal }));
    expect(error).toMatchObject({ code: 'outcome_unknown', cause: { code: 'aborted', cause: { message: 'the shop closes' } } });
    expect(server.seen).toHaveLength(1);

    const never = await errorOf(open().topgate.orders.create(ORDER, { signal: AbortSignal.abort() }));
    expect(never).toBeInstanceOf(TopgateAbortError);
    expect(never).toMatchObject({ sent: false });
    expect(server.seen).toHaveLength(1);
  });

  test('that is refused is not sent again', async () => {
    server.play(refusal(409, 'ref_id_conflict', { details: { order_id: 'TG1', differs: ['max_price'] } }));
    const error: unknown = await errorOf(open().topgate.orders.create(ORDER));
    expect(server.seen).toHaveLength(1);
    if (!isTopgateError(error, 'ref_id_conflict')) throw error;
    expectTypeOf(error.details.differs).toEqualTypeOf<
      ('service_code' | 'account_identifier.user_id' | 'account_identifier.zone' | 'max_price')[]
    >();
    expect(error.details).toEqual({ order_id: 'TG1', differs: ['max_price'] });
    expect(error.requestId).toBe('from-the-service');
  });

  test('without a signing secret is refused here', async () => {
    const topgate = new Topgate({ baseUrl: server.url(), token: 'tg_test_x' });
    await expect(topgate.orders.create(ORDER)).rejects.toThrow(TypeError);
    expect(server.seen).toHaveLength(0);
  });
});

describe('what must not happen twice', () => {
  const actions: [string, (topgate: Topgate) => Promise<unknown>][] = [
    ['the creation of a webhook', (topgate) => topgate.webhooks.create({ url: 'https://shop.example/hook' })],
    ['the rotation of a secret', (topgate) => topgate.webhooks.rotateSecret('wh_1')],
    ['a test event', (topgate) => topgate.webhooks.test('wh_1')],
    ['a delivery sent again', (topgate) => topgate.webhooks.resend('dlv_1')],
    ['a recovery', (topgate) => topgate.webhooks.recover('wh_1', { since: new Date(0) })],
    ['a refill', (topgate) => topgate.account.refill()],
    ['a deletion', (topgate) => topgate.webhooks.delete('wh_1')],
  ];

  test.each(actions)('%s is not sent again when nobody knows whether it was carried out', async (_name, act) => {
    for (const fault of [lost, cutShort, refusal(500, 'internal_error', { retryable: true }), stranger(504)]) {
      server.play(fault);
      await errorOf(act(open().topgate));
    }
    expect(server.seen).toHaveLength(4);
  });

  test.each(actions)('%s is sent again when it was certainly not carried out', async (_name, act) => {
    server.play(
      refusal(429, 'rate_limited', { retryable: true }),
      refusal(503, 'overloaded', { retryable: true }),
      data({ fine: 1 }),
    );
    expect(await act(open().topgate)).toEqual({ fine: 1 });
    expect(server.seen).toHaveLength(3);
  });
});

describe('waits', () => {
  test('grow from try to try, spread by chance', async () => {
    const { topgate, clock } = open({ maxRetries: 6 });
    await errorOf(topgate.account.get());
    expect(clock.waits).toHaveLength(6);
    for (const [index, fullMs] of [500, 1_000, 2_000, 4_000, 8_000, 8_000].entries()) {
      expect(clock.waits[index]).toBeGreaterThanOrEqual(fullMs / 2);
      expect(clock.waits[index]).toBeLessThanOrEqual(fullMs);
    }
  });

  test.each([
    ['in seconds', '30'],
    ['as a date', 'Sun, 01 Mar 2026 02:40:45 GMT'],
  ])('are never shorter than Retry-After asks, %s', async (_form, value) => {
    server.play(refusal(503, 'maintenance', { retryable: true, headers: { 'retry-after': value } }), data({}));
    const { topgate, clock } = open();
    await topgate.account.get();
    expect(clock.waits[0]).toBeGreaterThanOrEqual(30_000);
    expect(clock.waits[0]).toBeLessThanOrEqual(33_000);
  });

  test('end with the deadline: what would come after it is not waited for', async () => {
    server.play(refusal(503, 'maintenance', { retryable: true, headers: { 'retry-after': '60' } }));
    const { topgate, clock } = open();
    const error = await errorOf(topgate.account.get({ deadlineMs: 59_000 }));
    expect(error).toMatchObject({ code: 'maintenance', retryAfterMs: 60_000 });
    expect(clock.waits).toEqual([]);
  });

  test('can be ended by the signal', async () => {
    const ending = new AbortController();
    const { topgate } = open({ onAttempt: () => ending.abort() });
    const error = await errorOf(topgate.account.get({ signal: ending.signal }));
    expect(error.code).toBe('aborted');
    expect(server.seen).toHaveLength(1);
  });

  test('are told, with every try, to who listens', async () => {
    server.play(lost, data({}));
    const { topgate, reports, clock } = open();
    await topgate.account.get();
    expect(reports).toMatchObject([
      { method: 'GET', path: '/api/account', attempt: 1, error: { code: 'connection_failed' }, retryInMs: clock.waits[0] },
      { attempt: 2, error: null, retryInMs: null },
    ]);
    expect(server.seen.map(({ headers }) => headers['x-request-id'])).toEqual(reports.map(({ requestId }) => requestId));
  });
});

describe('time limits', () => {
  test('end a try that gets no answer', async () => {
    server.play(silent);
    const error = await errorOf(open({ timeoutMs: 20, maxRetries: 0 }).topgate.account.get());
    expect(error).toBeInstanceOf(TopgateTimeoutError);
    expect(error).toMatchObject({ code: 'timeout', retryable: true, status: null });
    expect(error.message).toContain('20 ms');
  });

  test('hold for the whole answer, not only for its beginning', async () => {
    server.play((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"status":200,');
    });
    const error = await errorOf(open().topgate.account.get({ timeoutMs: 20, maxRetries: 0 }));
    expect(error.code).toBe('timeout');
  });

  test('a try gets no more time than the deadline leaves', async () => {
    server.play(silent);
    const error = await errorOf(open().topgate.account.get({ deadlineMs: 20 }));
    expect(error.code).toBe('timeout');
    expect(server.seen).toHaveLength(1);
  });
});

describe('answers of something else than the service', () => {
  test('a redirect is not followed, so the token stays where it belongs', async () => {
    server.play(stranger(302, { location: '/elsewhere' }));
    const error = await errorOf(open().topgate.account.get());
    expect(error).toBeInstanceOf(TopgateConnectionError);
    expect(error).toMatchObject({ code: 'unreadable_answer', status: 302, retryable: false });
    expect(server.seen).toHaveLength(1);
  });

  test('a page in HTML says to check the address', async () => {
    server.play(stranger(404));
    expect(await errorOf(open().topgate.account.get())).toMatchObject({ code: 'unreadable_answer', status: 404 });
  });
});

describe('settings', () => {
  test.each([
    ['an address that is none', { baseUrl: 'topgate' }],
    ['an address of another kind', { baseUrl: 'ftp://topgate.example' }],
    ['an address with credentials', { baseUrl: 'https://me:secret@topgate.example' }],
    ['an empty token', { token: '' }],
    ['a token with a line feed', { token: 'tg_test_x\n' }],
  ])('%s is refused at once', (_name, wrong) => {
    expect(() => open(wrong)).toThrow(TypeError);
  });

  test('the path of the address is kept', async () => {
    server.play(data({}));
    await open({ baseUrl: `${server.url()}/top/` }).topgate.account.get();
    expect(server.seen[0]?.url).toBe('/top/api/account');
  });
});
