import { expect, test } from 'vitest';
import { openMemory } from '../../src/db/embedded/engine.ts';
import { migrate } from '../../src/db/migrate.ts';
import { fromSession } from '../../src/db/open.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { scriptedSupplier } from '../support/scripted-supplier.ts';
import { openTestService, until } from '../support/service.ts';

test('a worker that slept between taking an order and sending it sends nothing: another one may have taken it since', async () => {
  const clock = new FakeClock();
  const supplier = scriptedSupplier();
  const session = await openMemory();
  let sleepMs = 0;
  const database = fromSession({
    ...session,
    // The machine is suspended the moment the purchase is on disk.
    async run(statements) {
      const answers = await session.run(statements);
      if (sleepMs > 0 && statements.some(({ text }) => text.includes('insert into attempts'))) {
        await clock.jump(sleepMs);
        sleepMs = 0;
      }
      return answers;
    },
  });
  await migrate(database);
  const topgate = await openTestService({ database }, { clock, supplierKinds: [supplier.kind] });
  const config = { base_url: 'https://supplier.example', api_key: 'very-secret-key' };
  await topgate.admin('POST', '/admin/api/supplier', { code: 'scripted', kind: 'scripted', config });
  await topgate.admin('PUT', '/admin/api/service/MLBB-85/route', [{ supplier: 'scripted', sku: 'ML85', cost: 20_000 }]);
  const live = await topgate.reseller({ mode: 'live' });
  await clock.advance(1_000);

  sleepMs = HOUR_MS;
  const { order_id: orderId } = await live.buy({ user_id: '12345678' });
  const detail = async () => (await topgate.admin('GET', `/admin/api/order/${orderId}`)).body.data;
  await until(async () => {
    await clock.advance(250);
    return supplier.checked.length > 0;
  }, 'the supplier is asked');
  expect(supplier.placed).toEqual([]);
  expect(await detail()).toMatchObject({ status: 'Process', attempts: [{ sends: 1 }] });
  await clock.passUntil(topgate.stop());
  await database.close();
});
