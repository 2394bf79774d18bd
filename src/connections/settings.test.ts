import { expect, test } from 'vitest';
import { scriptedSupplier } from '../../test/support/scripted-supplier.ts';
import { digiflazzKind } from '../suppliers/digiflazz/index.ts';
import { checkConfig, fillConfig, readSettings } from './settings.ts';

const GOOD = { username: 'u', api_key: 'k' };

test('without settings everything is as the kind has it', () => {
  const { limits, ...rest } = readSettings(digiflazzKind, GOOD);
  expect(limits).toEqual(digiflazzKind.limits);
  expect(rest).toEqual({
    proxyUrl: null,
    callbackAddresses: [],
    accountTemplate: '{user_id}{zone}',
    warnBalance: null,
    minimumBalance: null,
  });
});

test('each setting takes the place of what the kind has', () => {
  const settings = readSettings(digiflazzKind, {
    ...GOOD,
    proxy_url: 'http://proxy:3128',
    time_limit_seconds: '7',
    concurrency: '3',
    requests_per_second: '2',
    review_after_minutes: '90',
    account_template: '{user_id}.{zone}',
    callback_ips: '52.74.250.133, 2001:db8::/32',
    warn_balance: '500000',
    minimum_balance: '100000',
  });
  expect(settings).toMatchObject({
    proxyUrl: 'http://proxy:3128',
    accountTemplate: '{user_id}.{zone}',
    callbackAddresses: ['52.74.250.133', '2001:db8::/32'],
    warnBalance: 500_000n,
    minimumBalance: 100_000n,
    limits: { placeLimitMs: 7_000, checkLimitMs: 7_000, concurrency: 3, perSecond: 2, reviewAfterMs: 5_400_000 },
  });
});

test('the adapter gets the defaults of its fields, and its address without a slash at the end', () => {
  expect(fillConfig(digiflazzKind, { ...GOOD, webhook_secret: '', proxy_url: 'http://proxy:3128' })).toEqual({
    base_url: 'https://api.digiflazz.com/v1',
    ...GOOD,
  });
  expect(fillConfig(digiflazzKind, { ...GOOD, base_url: 'http://127.0.0.1:4010/' })['base_url']).toBe('http://127.0.0.1:4010');
});

test.each([
  [{ base_url: 'ftp://x' }, 'config.base_url', 'must be an address'],
  [{ base_url: 'https://api.example:99999' }, 'config.base_url', 'must be an address'],
  [{ base_url: 'https://api.example:0' }, 'config.base_url', 'a port from 1'],
  [{ base_url: 'https://me:secret@api.example' }, 'config.base_url', 'shown in clear'],
  [{ proxy_url: 'http://[::1' }, 'config.proxy_url', 'must be an address'],
  [{ proxy_url: 'http://user:100%@proxy:3128' }, 'config.proxy_url', 'write % as %25'],
  [{ time_limit_seconds: '0' }, 'config.time_limit_seconds', '1 to 120'],
  [{ time_limit_seconds: '121' }, 'config.time_limit_seconds', '1 to 120'],
  [{ concurrency: '1001' }, 'config.concurrency', '1 to 1000'],
  [{ account_template: 'no place' }, 'config.account_template', '{user_id}'],
  [{ callback_ips: '52.74.250.999' }, 'config.callback_ips', 'is not an address'],
  [{ callback_ips: '52.74.250.0/33' }, 'config.callback_ips', 'is not an address'],
  [{ minimum_balance: '1.5' }, 'config.minimum_balance', 'whole units'],
  [{ api_key: '' }, 'config.api_key', 'is required'],
  [{ api_kee: 'x' }, 'config.api_kee', 'no such field'],
])('%j is refused, and it is said what is wrong', (config, path, message) => {
  const [issue] = checkConfig(digiflazzKind, config, false);
  expect(issue).toMatchObject({ path, message: expect.stringContaining(message) });
});

test('a proxy may want a name and a password', () => {
  expect(checkConfig(digiflazzKind, { proxy_url: 'http://user:100%25@proxy:3128' }, false)).toEqual([]);
});

test('a new account needs what is required and has no default', () => {
  expect(checkConfig(digiflazzKind, {}, true).map(({ path }) => path)).toEqual(['config.username', 'config.api_key']);
  expect(checkConfig(scriptedSupplier().kind, {}, true).map(({ path }) => path)).toEqual(['config.base_url', 'config.api_key']);
});
