import { expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { createFaultsByScene, fateByScene, refuseTooFast } from './scenes.ts';
import { Shop } from './shop.ts';

const fateOf = (account: string) => fateByScene({ reference: null, sku: 'ML86', account });

test.each(['12340006', '12340006|2001', '12345678|0006', '123456780006', 'User 12340006, Server 2001'])(
  'the account %s plays the scene of its ending, however the supplier writes it',
  (account) => {
    expect(fateOf(account)).toEqual({ is: 'rejected', why: 'out_of_stock', afterMs: 0 });
  },
);

test('any other account is delivered at once', () => {
  expect(fateOf('12345678|2001')).toEqual({ is: 'delivered', afterMs: 0 });
});

test('a fault happens once to an account', () => {
  const faultOf = createFaultsByScene();
  const request = { method: 'POST', path: '/', query: new URLSearchParams(), headers: {}, body: '{"id":"12340007"}' };
  expect(faultOf(request)).toEqual({ is: 'lost_answer' });
  expect(faultOf(request)).toEqual({ is: 'none' });
  expect(faultOf({ ...request, body: '{"id":"99990007"}' })).toEqual({ is: 'lost_answer' });
});

test('an order that comes too soon after the last one is refused, and does not make the next one wait longer', async () => {
  const clock = new FakeClock();
  const fate = refuseTooFast(fateByScene, clock, 6_000);
  const next = () => fate({ reference: null, sku: 'ML86', account: '12345678' });
  const tooFast = { is: 'rejected', why: 'too_fast', afterMs: 0 };
  expect(next()).toMatchObject({ is: 'delivered' });
  await clock.advance(5_000);
  expect(next()).toEqual(tooFast);
  await clock.advance(1_000);
  expect(next()).toMatchObject({ is: 'delivered' });
});

test.each([
  ['12340022', 'rejected'],
  ['12340023', 'delivered'],
])('a part of the account %s is delivered, and a minute later all of it is %s', async (account, end) => {
  const clock = new FakeClock();
  const told: string[] = [];
  const items = [{ sku: 'ML86', name: '86 Diamonds', price: 19_500n, available: true }];
  const shop = new Shop({ clock, items, fateOf: fateByScene, onChange: (_order, state) => told.push(state) });
  shop.take({ reference: 'TG-1', sku: 'ML86', account });
  await clock.advance(3_000);
  await clock.advance(60_000);
  expect(told).toEqual(['partial', end]);
});
