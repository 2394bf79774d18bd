import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { openInMemory, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Answer, openTestService, type TestReseller, type TestService } from '../support/service.ts';

const BALANCE = 1_000_000;

/** A service under attack: each test has a fresh reseller, and after each nothing may have been bought, paid or broken. */
export function underAttack(): { topgate: () => TestService; reseller: () => TestReseller } {
  let database: TestDatabase;
  let topgate: TestService;
  let reseller: TestReseller;

  beforeAll(async () => {
    database = await openInMemory();
    topgate = await openTestService(database, { clock: new FakeClock() });
  });
  afterAll(async () => {
    await topgate.stop();
    await database.drop();
  });
  beforeEach(async () => {
    reseller = await topgate.reseller({ balance: BALANCE });
  });
  afterEach(async () => {
    expect((await reseller.get('/api/order')).body.data).toEqual([]);
    expect(await reseller.balance()).toBe(BALANCE);
    expect((await topgate.admin('GET', '/admin/api/ledger/audit')).body.data).toMatchObject({ ok: true });
  });
  return { topgate: () => topgate, reseller: () => reseller };
}

/** Texts that no field may hold as they are: control characters, and halves of characters. */
export const UNCLEAN = ['a\u0000b', 'a\nb', 'a\u007fb', 'a\u0085b', '\ud800', 'a\udfff', '\udc00\ud800'];

export const INJECTIONS = [
  "'; drop table orders; --",
  "' or '1'='1",
  '1); delete from transfers; --',
  '$1',
  '\\',
  '%',
  "E'\\x00'",
  '{{7*7}}',
];

/** A refusal is a 4xx with the whole envelope of errors, whatever was sent. */
export function expectRefused({ status, body, headers }: Answer, what: unknown): void {
  const shown = `${typeof what === 'string' ? what.slice(0, 200) : JSON.stringify(what)} was answered ${status} ${JSON.stringify(body).slice(0, 300)}`;
  expect(status, shown).toBeGreaterThanOrEqual(400);
  expect(status, shown).toBeLessThan(500);
  expect(body, shown).toMatchObject({ status, success: false, data: null, error: { retryable: status === 402 } });
  expect(typeof body.error.code, shown).toBe('string');
  expect(headers['x-request-id'], shown).toBe(body.request_id);
}
