import { afterAll, beforeAll, expect, test } from 'vitest';
import { isUniqueViolation } from '../../src/db/errors.ts';
import type { PlaceOutcome } from '../../src/suppliers/supplier.ts';
import { describeOnBothEngines } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { passTime } from '../support/pass-time.ts';
import { scriptedSupplier } from '../support/scripted-supplier.ts';
import { openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

describeOnBothEngines('a supplier that takes one purchase of an item at a time for a player', (opened) => {
  const clock = new FakeClock();
  const supplier = scriptedSupplier();
  const answers: ((outcome: PlaceOutcome) => void)[] = [];
  let topgate: TestService;
  let live: TestReseller;

  beforeAll(async () => {
    supplier.kind.limits.oneAtATimePerPlayer = true;
    supplier.kind.limits.placeLimitMs = 3_600_000;
    supplier.onPlace = () => new Promise((resolve) => answers.push(resolve));
    topgate = await openTestService(opened(), { clock, supplierKinds: [supplier.kind] });
    const config = { base_url: 'https://supplier.example', api_key: 'secret-key' };
    await topgate.admin('POST', '/admin/api/supplier', { code: 'scripted', kind: 'scripted', config });
    await topgate.admin('PUT', '/admin/api/service/MLBB-85/route', [{ supplier: 'scripted', sku: 'ML85', cost: 20_000 }]);
    live = await topgate.reseller({ mode: 'live' });
  });
  afterAll(async () => {
    for (const answer of answers) answer({ kind: 'delivered', serialNumber: 'SN' });
    await clock.passUntil(topgate.stop());
  });

  const placed = (count: number) =>
    until(async () => {
      await passTime(clock, opened(), 250);
      return supplier.placed.length === count;
    }, `${count} purchases were sent`);

  test('the second order of the same waits until the first has ended; other players and items do not', async () => {
    const first = await live.buy({ user_id: '11110001' });
    await placed(1);
    const second = await live.buy({ user_id: '11110001' });
    await live.buy({ user_id: '22220001' });
    await placed(2);
    // Many times the wait for a free target.
    await passTime(clock, opened(), 30_000);
    expect(supplier.placed.map(({ userId }) => userId)).toEqual(['11110001', '22220001']);

    answers[0]?.({ kind: 'delivered', serialNumber: 'SN-1' });
    await placed(3);
    expect(supplier.placed.at(-1)).toMatchObject({ reference: `${second.order_id}-1`, userId: '11110001' });
    answers[2]?.({ kind: 'delivered', serialNumber: 'SN-2' });
    await until(
      async () => (await live.topgate.orders.status({ order_id: second.order_id })).status === 'Success',
      'it is delivered',
    );
    expect((await live.topgate.orders.status({ order_id: first.order_id })).status).toBe('Success');
  });

  test('two workers that decide at the same moment cannot both send: the database refuses the second', async () => {
    const { db } = opened().database;
    await live.buy({ user_id: '33330001' });
    await placed(4);
    const rival = await live.buy({ user_id: '44440001' });
    await placed(5);
    answers[4]?.({ kind: 'rejected', code: 'player_rejected', retryElsewhere: false });
    await until(
      async () => (await live.topgate.orders.status({ order_id: rival.order_id })).status === 'Failed',
      'it is rejected',
    );

    const { id } = await db.selectFrom('orders').select('id').where('user_id', '=', '44440001').executeTakeFirstOrThrow();
    const attempt = await db.selectFrom('attempts').selectAll().where('order_id', '=', id).executeTakeFirstOrThrow();
    const second = { ...attempt, number: 2, state: 'Sending' as const, limited_target: 'ML85\n33330001\n2001' };
    const error = await db
      .insertInto('attempts')
      .values(second)
      .execute()
      .catch((reason: unknown) => reason);
    expect(isUniqueViolation(error, 'attempts_one_at_a_time')).toBe(true);
  });
});
