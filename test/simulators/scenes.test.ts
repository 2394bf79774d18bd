import { expect, test } from 'vitest';
import { createFaultsByScene, fateByScene } from './scenes.ts';

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
