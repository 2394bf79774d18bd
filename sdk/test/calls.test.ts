import { expect, test } from 'vitest';
import { Topgate } from '../src/index.ts';
import { data, faultServer } from './support/fault-server.ts';

const server = faultServer();

const SINCE = new Date('2026-03-01T00:00:00Z');

/** Every call of the library, and the request it sends. */
const CALLS: [string, (topgate: Topgate) => Promise<unknown>, unknown?][] = [
  ['GET /api/account', (topgate) => topgate.account.get()],
  ['GET /api/account/transactions?kind=deposit', (topgate) => topgate.account.transactions({ kind: 'deposit' }).page()],
  ['POST /api/account/refill', (topgate) => topgate.account.refill()],
  ['GET /api/product', (topgate) => topgate.products.list()],
  ['GET /api/service?product_code=MLBB', (topgate) => topgate.services.list({ product_code: 'MLBB' })],
  [
    'GET /api/nickname/A%2FB?user_id=1%262&zone=3',
    (topgate) => topgate.nicknames.lookup({ product_code: 'A/B', user_id: '1&2', zone: '3' }),
  ],
  ['GET /api/order/status?order_id=TG1', (topgate) => topgate.orders.status({ order_id: 'TG1' })],
  [
    'GET /api/order?from=2026-03-01T00%3A00%3A00.000Z&to=2026-03-01T07%3A00%3A00%2B07%3A00',
    (topgate) => topgate.orders.list({ from: SINCE, to: '2026-03-01T07:00:00+07:00' }).page(),
  ],
  ['GET /api/events?after=5&limit=10', (topgate) => topgate.events.list({ after: 5, limit: 10 })],
  ['GET /api/webhook', (topgate) => topgate.webhooks.list()],
  [
    'POST /api/webhook',
    (topgate) => topgate.webhooks.create({ url: 'https://shop.example', types: ['order.failed'] }),
    { url: 'https://shop.example', types: ['order.failed'] },
  ],
  ['GET /api/webhook/wh_1', (topgate) => topgate.webhooks.get('wh_1')],
  ['PATCH /api/webhook/wh_1', (topgate) => topgate.webhooks.update('wh_1', { status: 'Disabled' }), { status: 'Disabled' }],
  ['DELETE /api/webhook/wh_1', (topgate) => topgate.webhooks.delete('wh_1')],
  ['POST /api/webhook/wh_1/test', (topgate) => topgate.webhooks.test('wh_1')],
  ['POST /api/webhook/wh_1/rotate-secret', (topgate) => topgate.webhooks.rotateSecret('wh_1')],
  [
    'GET /api/webhook/wh_1/delivery?status=Failed&limit=5',
    (topgate) => topgate.webhooks.deliveries('wh_1', { status: 'Failed', limit: 5 }).page(),
  ],
  ['POST /api/webhook/delivery/dlv_1/resend', (topgate) => topgate.webhooks.resend('dlv_1')],
  [
    'POST /api/webhook/wh_1/recover',
    (topgate) => topgate.webhooks.recover('wh_1', { since: SINCE }),
    { since: '2026-03-01T00:00:00.000Z' },
  ],
  [
    'GET /api/request-log?status=409&path=%2Fapi%2Forder',
    (topgate) => topgate.requestLog.list({ status: 409, path: '/api/order' }).page(),
  ],
  ['GET /api/reference/game', (topgate) => topgate.reference.games()],
  ['GET /api/reference/status-code', (topgate) => topgate.reference.statusCodes()],
  ['GET /api/reference/signature', (topgate) => topgate.reference.signatureGuide()],
];

test.each(CALLS)('%s', async (request, call, body) => {
  server.play(data([]));
  await call(new Topgate({ baseUrl: server.url(), token: 'tg_test_x' }));
  const [seen] = server.seen;
  expect(`${seen?.method} ${seen?.url}`).toBe(request);
  expect(seen?.headers.accept).toBe('application/json');
  expect(seen?.headers.authorization).toBe(request.includes('/api/reference/') ? undefined : 'Bearer tg_test_x');
  // A declared type without a body, or a body without one, is refused by strict servers.
  expect(seen?.headers['content-type']).toBe(body === undefined ? undefined : 'application/json');
  expect(seen?.body).toBe(body === undefined ? '' : JSON.stringify(body));
});
