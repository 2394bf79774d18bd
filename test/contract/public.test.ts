import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_PROBLEM_CODES, PROBLEMS, type ProblemCode } from '../../src/http/problems.ts';
import { openInMemory, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openTestService, signedOrder, type TestService } from '../support/service.ts';

/** The routes of the contract, as the description of the interface writes them. */
const RESELLER_ROUTES = `
  GET /api/account
  GET /api/account/transactions
  POST /api/account/refill
  GET /api/product
  GET /api/service
  GET /api/nickname/{product_code}
  POST /api/order
  GET /api/order/status
  GET /api/order
  GET /api/events
  GET /api/webhook
  POST /api/webhook
  GET /api/webhook/{}
  PATCH /api/webhook/{}
  DELETE /api/webhook/{}
  POST /api/webhook/{}/test
  POST /api/webhook/{}/rotate-secret
  GET /api/webhook/{}/delivery
  POST /api/webhook/delivery/{}/resend
  POST /api/webhook/{}/recover
  GET /api/request-log
  GET /api/reference/game
  GET /api/reference/status-code
  GET /api/reference/signature
  POST /api/reference/signature`;
const ADMIN_ROUTES = `
  POST /admin/api/reseller
  GET /admin/api/reseller
  GET /admin/api/reseller/{}
  PATCH /admin/api/reseller/{}
  POST /admin/api/reseller/{}/credential
  GET /admin/api/reseller/{}/credential
  DELETE /admin/api/reseller/{}/credential/{}
  POST /admin/api/reseller/{}/deposit
  POST /admin/api/reseller/{}/adjustment
  GET /admin/api/order
  GET /admin/api/order/{}
  POST /admin/api/order/{}/resolve
  POST /admin/api/order/{}/recheck
  GET /admin/api/product
  POST /admin/api/product
  PATCH /admin/api/product/{}
  GET /admin/api/service
  POST /admin/api/service
  PATCH /admin/api/service/{}
  GET /admin/api/tier
  POST /admin/api/tier
  PATCH /admin/api/tier/{}
  POST /admin/api/catalog/import
  GET /admin/api/supplier-kind
  GET /admin/api/supplier
  POST /admin/api/supplier
  PATCH /admin/api/supplier/{}
  POST /admin/api/supplier/{}/test
  POST /admin/api/supplier/{}/sync
  POST /admin/api/supplier/{}/pause
  POST /admin/api/supplier/{}/resume
  GET /admin/api/service/{}/route
  PUT /admin/api/service/{}/route
  GET /admin/api/ledger/audit
  GET /admin/api/stats`;

type Item = Record<string, unknown>;

let opened: TestDatabase;
let topgate: TestService;
beforeAll(async () => {
  opened = await openInMemory();
  topgate = await openTestService(opened, { clock: new FakeClock() });
});
afterAll(async () => {
  await topgate.stop();
  await opened.drop();
});

const open = (url: string) => topgate.raw({ method: 'GET', url });

/** The wanted routes that a description lacks, whatever it calls their parameters. */
function missing(paths: Record<string, object>, wanted: string): string[] {
  const nameless = (path: string) => path.replace(/\{[^}]*\}/g, '{}');
  const described = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${nameless(path)}`),
    ),
  );
  return wanted
    .trim()
    .split(/\s*\n\s*/)
    .filter((route) => !described.has(nameless(route)));
}

describe('what anybody may read', () => {
  test('the games', async () => {
    const { status, body } = await open('/api/reference/game');
    expect([status, body.success]).toEqual([200, true]);
    expect(body.data).toContainEqual(expect.objectContaining({ product_code: 'MLBB', category: 'MOBA' }));
  });

  test('every state and every error code with its meaning', async () => {
    const { data } = (await open('/api/reference/status-code')).body;
    const statuses = (name: string) => data[name].map(({ status }: Item) => status);
    expect(statuses('order')).toEqual(['Process', 'Success', 'Failed', 'Refunded']);
    for (const name of ['product', 'service']) expect(statuses(name)).toEqual(['Available', 'Unavailable', 'Maintenance']);
    const codes = Object.keys(PROBLEMS).filter((code) => !ADMIN_PROBLEM_CODES.has(code as ProblemCode));
    expect(data.error.map(({ code }: Item) => code)).toEqual(codes);
    for (const entry of Object.values(data).flat()) expect((entry as { meaning: string }).meaning).toMatch(/\S/);
  });

  test('every type of event that is told', async () => {
    const { data } = (await open('/api/reference/status-code')).body;
    const types = [
      'order.success',
      'order.failed',
      'order.refunded',
      'balance.credited',
      'balance.low',
      'service.updated',
      'webhook.test',
    ];
    expect(data.event.map(({ type }: Item) => type).sort()).toEqual(types.sort());
  });

  test('how to sign, with the vectors; the check of a signature is for test tokens only', async () => {
    const { data } = (await open('/api/reference/signature')).body;
    expect(data.vectors.map(({ signature }: Item) => String(signature).slice(0, 8))).toEqual([
      '9bdd2e88',
      'e7edfb62',
      '879f7306',
      '8ddbe6fb',
    ]);
    const reseller = await topgate.reseller();
    const order = signedOrder(reseller.secret, { ref_id: 'CHECK', max_price: 7 });
    const check = async (signature: string) =>
      (await reseller.post('/api/reference/signature', { ...order, signature })).body.data;
    const string_to_sign = 'MLBB-85\nCHECK\n123450001\n2001\n7';
    expect(await check(order.signature)).toEqual({
      string_to_sign,
      expected: order.signature,
      received: order.signature,
      matches: true,
    });
    expect(await check('wrong')).toEqual({ string_to_sign, expected: order.signature, received: 'wrong', matches: false });
    expect((await reseller.get('/api/order')).body.data).toEqual([]);
    const live = await topgate.reseller({ mode: 'live' });
    expect((await live.post('/api/reference/signature', signedOrder(live.secret))).status).toBe(403);
    expect((await topgate.raw({ method: 'POST', url: '/api/reference/signature' })).status).toBe(401);
  });

  test('health, metrics and documentation need no token', async () => {
    for (const url of ['/health/live', '/health/ready'])
      expect((await open(url)).body).toMatchObject({ status: 200, success: true });
    await open('/api/order');
    const metrics = await open('/metrics');
    expect(metrics.headers['content-type']).toMatch(/^text\/plain/);
    expect(metrics.body).toMatch(/^topgate_http_request_duration_seconds_count\{.*route="\/api\/order".*\} [1-9]/m);
    const docs = await open('/docs');
    expect(docs.headers['content-type']).toMatch(/^text\/html/);
    expect(docs.body).toMatch(/^<!doctype html>/i);
    expect(docs.body).toContain('/api/order');
  });

  test('the description of the interface is OpenAPI 3.1 and has every route of the contract', async () => {
    const { status, body } = await open('/openapi.json');
    expect([status, body.openapi]).toEqual([200, expect.stringMatching(/^3\.1\./)]);
    expect(missing(body.paths, RESELLER_ROUTES)).toEqual([]);
    expect(missing(body.paths, ADMIN_ROUTES)).toEqual([]);
  });

  test('the description says that it is JSON', async () => {
    const { headers } = await open('/openapi.json');
    expect(headers['content-type']).toMatch(/^application\/json/);
  });

  test('every route in the description exists, says what it does, and asks for a token unless anybody may read it', async () => {
    const { paths } = (await open('/openapi.json')).body;
    const wrong: string[] = [];
    for (const [path, methods] of Object.entries(
      paths as Record<string, Record<string, { security?: unknown[]; summary?: string }>>,
    ))
      for (const [method, { security, summary }] of Object.entries(methods)) {
        // Its address is its secret, and a wrong one is no address at all.
        const isCallback = path.startsWith('/callback/');
        const isPublic = isCallback || (method === 'get' && (path.startsWith('/api/reference/') || !path.includes('/api/')));
        const expected = isCallback ? 404 : isPublic ? 200 : 401;
        const { status } = await topgate.raw({ method: method.toUpperCase(), url: path.replace(/\{[^}]+\}/g, 'x') });
        const fits = (security?.length === 0) === isPublic && status === expected && /\S/.test(summary ?? '');
        if (!fits) wrong.push(`${method} ${path}: ${status}, ${summary ?? 'no summary'}`);
      }
    expect(wrong).toEqual([]);
  });
});
