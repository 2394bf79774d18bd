import { describe, expect, test } from 'vitest';
import { signedOrder } from '../support/service.ts';
import { expectRefused, INJECTIONS, UNCLEAN, underAttack } from './hostile-input.ts';

const { topgate, reseller } = underAttack();

/** A good order but for one field, which it lacks or has another value of. */
function unsignedWith([outer, inner]: string[], value: unknown): object {
  const order = { ...signedOrder(reseller().secret) };
  if (inner === undefined) return { ...order, [outer as string]: value };
  return { ...order, account_identifier: { ...order.account_identifier, [inner]: value } };
}

describe('a malformed query or path is refused', () => {
  const encoded = [...UNCLEAN.filter((text) => text.isWellFormed()), ...INJECTIONS].map(encodeURIComponent);
  const BAD_TIMES = 'yesterday 2026-03-01 2026-03-01T00:00:00 2026-02-30T00:00:00Z 2026-13-01T00:00:00Z 1772300000'.split(' ');
  const BAD_CURSORS = ['', 'x'.repeat(300), ...'x 0 %00 bm90IGEgY3Vyc29y OTk5OTk5OTk5OTk5OTk5OTk5OTk LTE MS41'.split(' ')];
  const BAD_LIMITS = ['', ...'0 -1 201 1.5 x 1e9 NaN null 9007199254740993 %00'.split(' ')];
  const lists = ['/api/order', '/api/account/transactions', '/api/request-log'];

  test('times, cursors and limits of the lists', async () => {
    for (const list of lists) {
      for (const time of BAD_TIMES)
        for (const key of ['from', 'to']) expectRefused(await reseller().get(`${list}?${key}=${time}`), `${list} ${key}=${time}`);
      for (const cursor of BAD_CURSORS)
        expectRefused(await reseller().get(`${list}?cursor=${cursor}`), `${list} cursor=${cursor}`);
      for (const limit of BAD_LIMITS) expectRefused(await reseller().get(`${list}?limit=${limit}`), `${list} limit=${limit}`);
    }
    for (const after of ['-1', '1.5', 'x', '9007199254740993', '1e400', '%00'])
      expectRefused(await reseller().get(`/api/events?after=${after}`), `after=${after}`);
    for (const limit of BAD_LIMITS) expectRefused(await reseller().get(`/api/events?limit=${limit}`), `events limit=${limit}`);
  });

  test('unknown parameters, and known ones twice', async () => {
    for (const url of [...lists, '/api/events', '/api/service', '/api/order/status', '/api/nickname/MLBB'])
      expectRefused(await reseller().get(`${url}?nonsense=1`), `${url} nonsense`);
    for (const url of ['/api/order?limit=1&limit=2', '/api/order?status=Process&status=Success', '/api/events?after=1&after=2'])
      expectRefused(await reseller().get(url), url);
    for (const url of ['/api/service?product_code=MLBB&product_code=HOK', '/api/order/status?ref_id=a&ref_id=b'])
      expectRefused(await reseller().get(url), url);
    expectRefused(await reseller().get('/api/nickname/MLBB?user_id=123450001&user_id=1&zone=2001'), 'user_id twice');
    for (const url of [
      '/api/order/status',
      '/api/order/status?ref_id=a&order_id=b',
      '/api/order?status=process',
      '/api/order?__proto__=1',
    ])
      expectRefused(await reseller().get(url), url);
  });

  test('control characters and SQL in every parameter', async () => {
    for (const text of encoded) {
      for (const key of ['status', 'from', 'to', 'limit', 'cursor'])
        expectRefused(await reseller().get(`/api/order?${key}=${text}`), `${key}=${text}`);
      for (const key of ['kind', 'from', 'to', 'limit', 'cursor'])
        expectRefused(await reseller().get(`/api/account/transactions?${key}=${text}`), `${key}=${text}`);
      for (const key of ['ref_id', 'order_id'])
        expectRefused(await reseller().get(`/api/order/status?${key}=${text}`), `${key}=${text}`);
      expectRefused(await reseller().get(`/api/service?product_code=${text}`), `product_code=${text}`);
      expectRefused(await reseller().get(`/api/nickname/${text}?user_id=123450001&zone=2001`), `nickname ${text}`);
      expectRefused(await reseller().get(`/api/nickname/MLBB?user_id=${text}&zone=2001`), `user_id=${text}`);
      expectRefused(await reseller().get(`/api/nickname/MLBB?user_id=123450001&zone=${text}`), `zone=${text}`);
    }
  });

  test('a filter that nothing can match, or a time at the edge of time, is an empty list or a 4xx, never a fault', async () => {
    const edges = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59', '9999-12-31T23:59:59Z', '9999-12-31T23:59:59-23:59'];
    const urls = [
      ...encoded.map((text) => `/api/order?product_code=${text}`),
      ...lists.flatMap((list) =>
        edges.flatMap((time) => [`${list}?from=${time.replace('+', '%2B')}`, `${list}?to=${time.replace('+', '%2B')}`]),
      ),
      '/api/events?after=9007199254740991',
      '/api/account/transactions?cursor=OTk5OTk5OTk5OTk5OTk5OTk5',
      '/api/order?cursor=ZmZmZmZmZmYtZmZmZi1mZmZmLWZmZmYtZmZmZmZmZmZmZmZm',
    ];
    const faults: string[] = [];
    for (const url of urls) {
      const { status } = await reseller().get(url);
      if (status >= 500) faults.push(`${status} GET ${url}`);
    }
    expect(faults).toEqual([]);
  });

  test('paths that cannot be decoded, climb, or are too long', async () => {
    const paths = [
      '%',
      '%zz',
      '%E0%A4%A',
      '%00',
      '%c0%af',
      '..%2f..%2fetc%2fpasswd',
      '%0d%0aSet-Cookie:%20a=b',
      'x'.repeat(5_000),
    ];
    for (const path of paths)
      for (const url of [`/api/${path}`, `/api/nickname/${path}?user_id=123450001&zone=2001`, `/${path}`, `/api/order/${path}`]) {
        const answer = await reseller().get(url);
        expectRefused(answer, url);
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    for (const url of [
      '/api/order/',
      '/api//order',
      '/API/ORDER',
      '/api/order/status/',
      '/api/order%20',
      '/api/order;a=b',
      '/api/nickname/',
    ])
      expectRefused(await reseller().get(url), url);
  });

  test('line breaks sent in headers and parameters never become headers of the answer', async () => {
    const crlf = '%0d%0aX-Evil:%201';
    for (const url of [
      `/api/order/status?ref_id=a${crlf}`,
      `/api/service?product_code=${crlf}`,
      `/api/nickname/MLBB${crlf}?user_id=1`,
    ]) {
      const answer = await reseller().get(url, { 'x-request-id': `id${crlf}` });
      expectRefused(answer, url);
      expect(answer.headers['x-evil']).toBeUndefined();
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});

describe('the signature check takes exactly what an order takes', () => {
  test('a malformed order is refused there as well', async () => {
    const check = (body: unknown) => reseller().post('/api/reference/signature', body);
    for (const body of [{}, [], null, 'text', 7]) expectRefused(await check(body), body);
    for (const path of [
      ['service_code'],
      ['ref_id'],
      ['signature'],
      ['account_identifier', 'user_id'],
      ['account_identifier', 'zone'],
    ])
      for (const value of [undefined, null, 7, {}, 'x'.repeat(257), ...UNCLEAN])
        expectRefused(await check(unsignedWith(path, value)), { path, value });
    for (const path of [['extra'], ['account_identifier', 'extra']]) expectRefused(await check(unsignedWith(path, 1)), path);
  });
});

describe('a malformed request of an operator is refused', () => {
  test('a NUL character in any path or filter is never a fault', async () => {
    const { resellerId } = reseller();
    const requests = [
      ['GET', '/admin/api/order?product_code=%00'],
      ['GET', '/admin/api/order?supplier=%00'],
      ['GET', '/admin/api/order/%00'],
      ['GET', '/admin/api/reseller?search=%00'],
      ['GET', '/admin/api/reseller/%00'],
      ['GET', '/admin/api/supplier/%00'],
      ['POST', '/admin/api/supplier/%00/pause'],
      ['POST', '/admin/api/supplier/%00/test'],
      ['GET', '/admin/api/service/%00/route'],
      ['PUT', '/admin/api/service/%00/route', []],
      ['PUT', '/admin/api/service/MLBB-85/route', [{ supplier: '\u0000', sku: 'a', cost: 1 }]],
      ['PATCH', '/admin/api/product/%00', { product_name: 'x' }],
      ['PATCH', '/admin/api/service/%00', { price: 1 }],
      ['PATCH', '/admin/api/tier/%00', { name: 'x' }],
      ['PATCH', '/admin/api/tier/standard', { prices: { '\u0000': 1 } }],
      ['POST', '/admin/api/reseller', { name: 'x', username: 'nul-tier', tier: '\u0000' }],
      ['PATCH', `/admin/api/reseller/${resellerId}`, { tier: '\u0000' }],
      ['POST', '/admin/api/supplier', { code: 'nul', kind: '\u0000' }],
      ['POST', '/admin/api/catalog/import', { csv: '\u0000' }],
    ] as const;
    const faults: string[] = [];
    for (const [method, url, body] of requests) {
      const { status } = await topgate().admin(method, url, body);
      if (status >= 500) faults.push(`${status} ${method} ${url} ${JSON.stringify(body) ?? ''}`);
    }
    expect(faults).toEqual([]);
  });
});
