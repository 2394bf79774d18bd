import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openInMemory, type TestDatabase } from '../../test/support/engines.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { openTestService, type TestService } from '../../test/support/service.ts';
import { createAllowList, isAddressOrBlock } from '../lib/allow-list.ts';
import { createRateLimit } from './rate-limit.ts';

describe('an address allow-list', () => {
  test.each([
    [['203.0.113.7'], '203.0.113.7', true],
    [['203.0.113.7'], '203.0.113.8', false],
    [['203.0.113.0/24'], '203.0.113.200', true],
    [['203.0.113.0/24'], '::ffff:203.0.113.200', true],
    [['2001:db8::/32'], '2001:db8:1::5', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [[], '198.51.100.1', true],
    [['203.0.113.7'], 'not an address', false],
  ])('%j lets %s in: %s', (entries, address, allowed) => {
    expect(createAllowList(entries)(address)).toBe(allowed);
  });

  test.each(['203.0.113.0/33', '203.0.113', '2001:db8::/129', 'example.com', '203.0.113.7/24/8', ''])(
    '%j is no entry of one',
    (entry) => {
      expect(isAddressOrBlock(entry)).toBe(false);
    },
  );
});

describe('the rate limit', () => {
  test('lets so many through at once, then one for each part of a second that passes', async () => {
    const clock = new FakeClock();
    const take = createRateLimit(clock, 10);
    const burst = Array.from({ length: 12 }, () => take('one'));
    expect(burst.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(burst.at(-1)).toEqual({ allowed: false, retryAfterSeconds: 1 });
    await clock.advance(100);
    expect(take('one').allowed).toBe(true);
    expect(take('one').allowed).toBe(false);
  });

  test('counts each reseller alone', () => {
    const take = createRateLimit(new FakeClock(), 1);
    expect([take('one').allowed, take('two').allowed, take('one').allowed]).toEqual([true, true, false]);
  });
});

describe('behind a reverse proxy', () => {
  let database: TestDatabase;
  let direct: TestService;
  let proxied: TestService;
  beforeAll(async () => {
    database = await openInMemory();
    direct = await openTestService(database);
    proxied = await openTestService(database, { config: { trustedProxies: ['127.0.0.1'] } });
  });
  afterAll(async () => {
    await direct.stop();
    await proxied.stop();
    await database.drop();
  });

  test('a forwarded address counts only when it comes from a proxy the operator named', async () => {
    const reseller = await direct.reseller({ credential: { allowed_ips: ['203.0.113.7'] } });
    const request = {
      method: 'GET',
      url: '/api/account',
      headers: { authorization: `Bearer ${reseller.token}`, 'x-forwarded-for': '203.0.113.7' },
    };
    const spoofed = await direct.raw(request);
    expect(spoofed).toMatchObject({
      status: 403,
      body: { error: { code: 'ip_not_allowed', details: { address: '127.0.0.1' } } },
    });
    expect((await proxied.raw(request)).status).toBe(200);
  });
});
