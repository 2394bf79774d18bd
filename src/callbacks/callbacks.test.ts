import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { scriptedSupplier } from '../../test/support/scripted-supplier.ts';
import { openTestService, type TestReseller, type TestService, until } from '../../test/support/service.ts';
import { after, DAY_MS, systemClock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { CallbackMessage, CallbackReading, CheckOutcome, PlaceOutcome } from '../suppliers/supplier.ts';
import { dayOf, digestOf, isKey, keepHeaders } from './callback.ts';
import { FloodGate } from './flood-gate.ts';
import { saveCallback } from './store.ts';
import { pruneCallbacks } from './work-off.ts';

const SIGNATURE = 'good';

/** How the scripted supplier reports: JSON with a header in the place of a signature. */
function read({ headers, query, rawBody }: CallbackMessage): CallbackReading {
  if (headers['x-signature'] !== SIGNATURE) return { kind: 'forged', reason: 'the signature is wrong' };
  const text = rawBody.toString('utf8') || query['message'] || '';
  if (!text.startsWith('{')) return { kind: 'unreadable', reason: 'not JSON' };
  const { reference = null, theirs = null, status } = JSON.parse(text);
  if (status === 'test') return { kind: 'ping' };
  return { kind: 'hint', reference, supplierReference: theirs, status };
}

describeOnBothEngines('callbacks of suppliers', (open) => {
  const supplier = scriptedSupplier();
  supplier.onCallback = read;
  // Nobody is asked by the schedule, so that every question is one that a message brought about.
  const limits = { ...supplier.kind.limits, lookAgainAfterMs: [DAY_MS], reviewAfterMs: DAY_MS };
  const supplierKinds = [{ ...supplier.kind, limits }];
  let topgate: TestService;
  let live: TestReseller;
  const paths: Record<string, string> = {};

  const openAgain = () => openTestService(open(), { supplierKinds });
  const addSupplier = async (code: string, config: object = {}) => {
    const fields = { base_url: 'https://supplier.example', api_key: 'very-secret-key', ...config };
    const { body } = await topgate.admin('POST', '/admin/api/supplier', { code, kind: 'scripted', config: fields });
    paths[code] = new URL(body.data.callback_url).pathname;
  };
  const pathOf = (code: string) => paths[code] ?? '';
  const send = (message: object | string, options: { path?: string; signature?: string } = {}) =>
    topgate.raw({
      method: 'POST',
      url: options.path ?? pathOf('main'),
      headers: { 'content-type': 'text/weird', 'x-signature': options.signature ?? SIGNATURE },
      payload: typeof message === 'string' ? message : JSON.stringify(message),
    });
  const detail = async (orderId: string) => (await topgate.admin('GET', `/admin/api/order/${orderId}`)).body.data;
  const list = async (query: string) => (await topgate.admin('GET', `/admin/api/callback?${query}`)).body.data;
  const place = async () => (await live.buy({ user_id: '55550001' })).order_id;
  const isAt = (orderId: string, status: string) =>
    until(async () => (await detail(orderId)).attempts[0]?.status === status, `the attempt is ${status}`);
  const stateOf = (reference: string, state: string) =>
    until(
      async () => (await list(`state=${state}`)).find((entry: { reference: string }) => entry.reference === reference),
      `the callback is ${state}`,
    );

  beforeAll(async () => {
    topgate = await openAgain();
    await addSupplier('main');
    await addSupplier('other');
    await addSupplier('guarded', { callback_ips: '203.0.113.0/24' });
    const routes = [{ supplier: 'main', sku: 'ML85', cost: 20_000 }];
    await topgate.admin('PUT', '/admin/api/service/MLBB-85/route', routes);
    live = await topgate.reseller({ mode: 'live', balance: 100_000_000 });
  });
  afterAll(() => topgate.stop());
  beforeEach(() => {
    supplier.placed.length = 0;
    supplier.checked.length = 0;
    supplier.onPlace = async () => ({ kind: 'pending' });
    supplier.onCheck = async () => ({ kind: 'pending' });
  });

  test('a message has the supplier asked, and its answer, not the message, settles the order', async () => {
    const orderId = await place();
    await isAt(orderId, 'Pending');
    supplier.onCheck = async () => ({ kind: 'rejected', code: 'out_of_stock', retryElsewhere: false });
    const answer = await send({ reference: `${orderId}-1`, status: 'delivered!' });
    expect([answer.status, answer.body]).toEqual([200, { status: true }]);
    await until(async () => (await detail(orderId)).status === 'Failed', 'the order is settled');
    const [callback] = await list('state=Asked');
    expect(callback).toMatchObject({ supplier: 'main', order_id: orderId, status: 'delivered!', seen: 1, reading: 'hint' });
    expect(callback.headers).toMatchObject({ 'content-type': 'text/weird', 'x-signature': '•••' });
  });

  test("a message that has only the supplier's own name for the purchase finds it", async () => {
    supplier.onPlace = async () => ({ kind: 'pending', supplierReference: 'THEIRS-1' });
    const orderId = await place();
    await isAt(orderId, 'Pending');
    supplier.onCheck = async () => ({ kind: 'delivered', serialNumber: 'SN-2' });
    await send({ theirs: 'THEIRS-1', status: 'ok' });
    await until(async () => (await detail(orderId)).status === 'Success', 'the order is settled');
  });

  test('a secret of ours in a message is nowhere on the disk, and the rest of the message is', async () => {
    await send({
      status: 'test',
      hook: { url: 'https://topgate.example', secret: 'not-even-configured' },
      note: 'very-secret-key',
    });
    const rows = await open().database.db.selectFrom('supplier_callbacks').select('body').where('reading', '=', 'ping').execute();
    const bodies = rows.map(({ body }) => Buffer.from(body).toString('utf8'));
    expect(bodies).toEqual(['{"status":"test","hook":{"url":"https://topgate.example","secret":"•••"},"note":"•••"}']);
  });

  test('the forged copy of a message does not take its place', async () => {
    const message = { reference: 'INV-COPIED', status: 'ok' };
    await send(message);
    const { callback_id } = await stateOf('INV-COPIED', 'Unmatched');
    expect((await send(message, { signature: 'bad' })).status).toBe(401);
    expect(await stateOf('INV-COPIED', 'Unmatched')).toMatchObject({ callback_id, reading: 'hint', seen: 1 });
  });

  test('a message that comes before the answer of the purchase waits for it, and then has the supplier asked', async () => {
    let answer: (outcome: PlaceOutcome) => void = () => {};
    supplier.onPlace = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const orderId = await place();
    await isAt(orderId, 'Sending');
    await until(async () => supplier.placed.length === 1, 'the purchase is being sent');
    await send({ reference: `${orderId}-1`, status: 'early' });
    await stateOf(`${orderId}-1`, 'Received');
    expect(supplier.checked).toEqual([]);
    supplier.onCheck = async () => ({ kind: 'delivered', serialNumber: 'SN-EARLY' });
    answer({ kind: 'pending' });
    await until(async () => (await detail(orderId)).status === 'Success', 'the order is settled');
    await stateOf(`${orderId}-1`, 'Asked');
  });

  test('the same message again counts up and has the supplier asked again: a state may come back', async () => {
    const orderId = await place();
    await isAt(orderId, 'Pending');
    const message = { reference: `${orderId}-1`, status: 'same' };
    await send(message);
    await until(async () => supplier.checked.length === 1, 'the supplier was asked');
    await until(async () => (await detail(orderId)).attempts[0].checks === 1, 'the question was settled');
    await send(message);
    await until(async () => supplier.checked.length === 2, 'the supplier was asked again');
    expect(await stateOf(`${orderId}-1`, 'Asked')).toMatchObject({ seen: 2 });
  });

  test('a message about a delivered order finds out that it was taken back', async () => {
    const before = await live.balance();
    supplier.onPlace = async () => ({ kind: 'delivered', serialNumber: 'SN-3' });
    const orderId = await place();
    await isAt(orderId, 'Delivered');
    supplier.onCheck = async () => ({ kind: 'reversed' });
    await send({ reference: `${orderId}-1`, status: 'refund' });
    await until(async () => (await detail(orderId)).status === 'Refunded', 'the reversal is known');
    expect(await live.balance()).toBe(before);
  });

  test.each<[string, CheckOutcome, string]>([
    ['holds', { kind: 'rejected', code: 'out_of_stock', retryElsewhere: false }, 'Settled'],
    ['is taken back', { kind: 'delivered', serialNumber: 'SN-5' }, 'Late'],
  ])('a message about a rejected purchase finds out whether the rejection %s', async (_what, answer, state) => {
    supplier.onPlace = async () => ({ kind: 'rejected', code: 'out_of_stock', retryElsewhere: false });
    supplier.onCheck = async () => answer;
    const orderId = await place();
    await isAt(orderId, 'Rejected');
    const before = await live.balance();
    await send({ reference: `${orderId}-1`, status: `after all: ${state}` });
    await stateOf(`${orderId}-1`, state);
    const found = await detail(orderId);
    expect(found).toMatchObject({ status: 'Failed', attempts: [{ status: 'Rejected' }] });
    expect(found.review?.reason ?? null).toEqual(state === 'Late' ? expect.stringContaining('"delivered"') : null);
    expect(await live.balance()).toBe(before);
    expect(supplier.checked).toHaveLength(1);
  });

  test("a message about another supplier's order, or about none, changes nothing", async () => {
    const orderId = await place();
    await isAt(orderId, 'Pending');
    await send({ reference: `${orderId}-1`, status: 'mine?' }, { path: pathOf('other') });
    await send({ reference: `${orderId}-2`, status: 'no such attempt' });
    await send({ reference: 'INV-1', status: 'by hand' });
    for (const reference of [`${orderId}-1`, `${orderId}-2`, 'INV-1']) await stateOf(reference, 'Unmatched');
    expect(supplier.checked).toEqual([]);
  });

  test('a wrong key and a supplier that is not there are answered alike', async () => {
    const paths = [
      '/callback/main/wrong',
      '/callback/nobody/wrong',
      '/callback/sandbox/wrong',
      pathOf('main').replace('main', 'other'),
    ];
    const answers = await Promise.all(paths.map((path) => send({}, { path })));
    expect(answers.map(({ status, body }) => [status, body.error.code, body.message])).toEqual(
      paths.map(() => [404, 'route_not_found', answers[0]?.body.message]),
    );
  });

  test('a forged, an unreadable and an unwelcome message are refused without detail, counted, and reach no order', async () => {
    const orderId = await place();
    await isAt(orderId, 'Pending');
    const reference = `${orderId}-1`;
    const forged = await send({ reference, status: 'ok' }, { signature: 'bad' });
    const unreadable = await send('<xml>');
    const unwelcome = await send({ reference, status: 'ok' }, { path: pathOf('guarded') });
    expect([forged, unreadable, unwelcome].map(({ status, body }) => [status, body.error.code])).toEqual([
      [401, 'invalid_signature'],
      [400, 'invalid_request'],
      [403, 'ip_not_allowed'],
    ]);
    expect(JSON.stringify([forged.body, unreadable.body])).not.toMatch(/signature is|not JSON/);
    const [latest] = await list('reading=forged');
    expect(latest).toMatchObject({ state: null, reason: 'the signature is wrong', reference: null, order_id: null });
    expect(supplier.checked).toEqual([]);
    const { body } = await topgate.raw({ method: 'GET', url: '/metrics' });
    expect(body).toContain('topgate_supplier_callbacks_total{supplier="main",outcome="forged"} 2');
    expect(body).toContain('topgate_supplier_callbacks_total{supplier="guarded",outcome="refused_address"} 1');
  });

  test('a test of the address is answered, and a GET is read from its query', async () => {
    expect((await send({ status: 'test' })).status).toBe(200);
    const message = encodeURIComponent(JSON.stringify({ reference: 'INV-2', status: 'by query' }));
    const url = `${pathOf('main')}?message=${message}&api_key=very-secret-key`;
    expect((await topgate.raw({ method: 'GET', url, headers: { 'x-signature': SIGNATURE } })).status).toBe(200);
    const callback = await stateOf('INV-2', 'Unmatched');
    expect(callback.query).toContain('by%20query');
    expect(JSON.stringify(callback)).not.toContain('very-secret-key');
    expect((await topgate.raw({ method: 'PUT', url })).status).toBe(405);
  });

  test('a body of any type up to 64 KiB is taken, a longer one is not', async () => {
    expect((await send(`{"status":"test","x":"${'x'.repeat(60_000)}"}`)).status).toBe(200);
    expect((await send('x'.repeat(65_537))).status).toBe(413);
  });

  test('an operator has a hint worked off again, and nothing else', async () => {
    const orderId = await place();
    await isAt(orderId, 'Pending');
    await send({ reference: `${orderId}-1`, status: 'once' });
    const hint = await stateOf(`${orderId}-1`, 'Asked');
    await until(async () => (await detail(orderId)).attempts[0].checks === 1, 'the question was settled');
    expect((await topgate.admin('POST', `/admin/api/callback/${hint.callback_id}/retry`)).status).toBe(200);
    await until(async () => supplier.checked.length === 2, 'the supplier was asked again');
    const [forged] = await list('reading=forged');
    expect((await topgate.admin('POST', `/admin/api/callback/${forged.callback_id}/retry`)).status).toBe(409);
    expect((await topgate.admin('POST', '/admin/api/callback/cb_none/retry')).status).toBe(404);
  });

  test('of what is no hint only the latest 200 are kept, and one message is one row', async () => {
    const { db } = open().database;
    const at = systemClock.now();
    for (let index = 0; index < 205; index++) {
      await saveCallback(db, {
        id: newId(at),
        supplierCode: 'other',
        day: dayOf(at),
        digest: digestOf({ reading: 'forged', method: 'POST', query: String(index % 203), rawBody: Buffer.alloc(0) }),
        method: 'POST',
        query: '',
        body: Buffer.alloc(0),
        headers: {},
        remoteAddress: '127.0.0.1',
        reading: 'forged',
        reason: `message ${index % 203}`,
        status: null,
        reference: null,
        supplierReference: null,
        state: null,
        at,
      });
    }
    const kept = await list('supplier=other&reading=forged&limit=200');
    expect(kept).toHaveLength(200);
    // The two that came twice had gone by then, so they are new rows.
    expect([kept[0].reason, kept.at(-1).reason]).toEqual(['message 1', 'message 5']);
  });

  test('a flood is turned away, and hints of other suppliers are still taken', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => send('x', { path: pathOf('other') })));
    const turnedAway = answers.find(({ status }) => status === 429);
    expect(turnedAway?.headers['retry-after']).toBe('1');
    expect((await send({ status: 'test' })).status).toBe(200);
  });

  test('a message that was stored before a crash is worked off by the next start', async () => {
    const orderId = await place();
    await isAt(orderId, 'Pending');
    await topgate.stop();
    const front = await openTestService(open(), { supplierKinds, config: { role: 'api' } });
    const stored = await front.raw({
      method: 'POST',
      url: pathOf('main'),
      headers: { 'x-signature': SIGNATURE },
      payload: JSON.stringify({ reference: `${orderId}-1`, status: 'ok' }),
    });
    expect(stored.status).toBe(200);
    await front.stop();
    expect(supplier.checked).toEqual([]);
    supplier.onCheck = async () => ({ kind: 'delivered', serialNumber: 'SN-4' }) satisfies CheckOutcome;
    topgate = await openAgain();
    await until(async () => (await detail(orderId)).status === 'Success', 'the order is settled');
  });

  test('after thirty days messages go, but for those that still wait', async () => {
    const { db } = open().database;
    const muchLater = after(systemClock.now(), 365 * DAY_MS);
    await db
      .updateTable('supplier_callbacks')
      .set({ state: 'Received', due_at: muchLater })
      .where('reference', '=', 'INV-COPIED')
      .where('reading', '=', 'hint')
      .execute();
    const inAMonth = { now: () => after(systemClock.now(), 31 * DAY_MS), sleep: systemClock.sleep };
    expect((await pruneCallbacks({ db, clock: inAMonth })).deleted).toBeGreaterThan(200);
    expect(await list('limit=200')).toMatchObject([{ reference: 'INV-COPIED', state: 'Received' }]);
  });

  test('after all of it every invariant of the ledger holds', async () => {
    const { body } = await topgate.admin('GET', '/admin/api/ledger/audit');
    expect(body.data.checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
  });
});

describe('a flood', () => {
  test('is let through as a burst of 200 and then at 50 a second, each supplier by itself', async () => {
    const clock = new FakeClock();
    const gate = new FloodGate(clock);
    const admitted = (code: string, count: number) =>
      Array.from({ length: count }, () => gate.admits(code)).filter((isAdmitted) => isAdmitted).length;
    expect(admitted('main', 500)).toBe(200);
    expect(admitted('other', 1)).toBe(1);
    await clock.advance(1_000);
    expect(admitted('main', 500)).toBe(50);
  });
});

describe('what is kept of a message', () => {
  test('headers that may hold a signature or a token lose their value, all others of no use their name too', () => {
    expect(
      keepHeaders({ authorization: 'Bearer x', cookie: 'x', 'x-hub-signature': 'sha1=x', 'x-digiflazz-event': 'create' }),
    ).toEqual({ 'x-hub-signature': '•••', 'x-digiflazz-event': 'create' });
  });

  test('the same body in another way is another message', () => {
    const rawBody = Buffer.from('{}');
    const message = { reading: 'hint', method: 'POST', query: '', rawBody } as const;
    expect(digestOf({ ...message, query: 'a=1' })).not.toEqual(digestOf(message));
    expect(digestOf({ ...message, reading: 'forged' })).not.toEqual(digestOf(message));
  });

  test('no key fits an address that has none', () => {
    expect([isKey('', null), isKey('x', null), isKey('x', 'y'), isKey('x', 'x')]).toEqual([false, false, false, true]);
  });
});
