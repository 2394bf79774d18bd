import { expect, test } from 'vitest';
import { bangjeffKind } from '../suppliers/bangjeff/index.ts';
import { digiflazzKind } from '../suppliers/digiflazz/index.ts';
import { unipinKind } from '../suppliers/unipin/index.ts';
import { checkSettings, mayEndHold } from './check-settings.ts';

type Config = Record<string, string>;

const check = (kind: typeof digiflazzKind, given: Config, before: Config = {}, currency = 'IDR') =>
  checkSettings(kind, { given, whole: { ...before, ...given }, currency });

test.each([
  ['a limit for a balance that is never told', unipinKind, { minimum_balance: '1' }, {}, 'IDR', 'tells no balance'],
  ['a warning below the minimum', digiflazzKind, { warn_balance: '9', minimum_balance: '10' }, {}, 'IDR', 'set it to 10 or more'],
  ['a minimum above the warning', digiflazzKind, { minimum_balance: '10' }, { warn_balance: '9' }, 'IDR', 'set it to 10 or more'],
  ['another currency than ours', bangjeffKind, { currency: 'USD' }, {}, 'IDR', 'this installation, IDR'],
  ['a default that is not our currency', bangjeffKind, { currency: '' }, {}, 'PHP', 'this installation, PHP'],
] as const)('%s is refused', (_what, kind, given, before, currency, message) => {
  expect(check(kind, given, before, currency)).toEqual([
    { path: expect.stringMatching(/^config\./), message: expect.stringContaining(message) },
  ]);
});

test('what fits is taken, and what was set before is not held against another change', () => {
  expect(check(digiflazzKind, { warn_balance: '10', minimum_balance: '10' })).toEqual([]);
  expect(check(digiflazzKind, { concurrency: '3' }, { warn_balance: '9', minimum_balance: '10' })).toEqual([]);
  expect(check(bangjeffKind, { concurrency: '3' }, { currency: 'USD' })).toEqual([]);
});

test('only what can have been its cause may end a hold', () => {
  const before = { api_key: 'k', concurrency: '2' };
  expect(mayEndHold(before, { ...before, review_after_minutes: '90', concurrency: '3', warn_balance: '5' })).toBe(false);
  expect(mayEndHold(before, { ...before, minimum_balance: '', proxy_url: '' })).toBe(false);
  for (const change of [{ api_key: 'other' }, { proxy_url: 'http://proxy' }, { minimum_balance: '1' }, { username: 'u' }])
    expect(mayEndHold(before, { ...before, ...change })).toBe(true);
});
