import { expect, test } from 'vitest';
import { describeOnBothEngines } from '../../test/support/engines.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { openTestService } from '../../test/support/service.ts';
import { DAY_MS } from '../lib/clock.ts';

describeOnBothEngines('the request log of seven days', (open) => {
  test('goes back seven days to the moment, whatever is still to be deleted', async () => {
    const clock = new FakeClock();
    const first = await openTestService(open(), { clock });
    const reseller = await first.reseller();
    for (let round = 0; round < 5; round++) await reseller.get('/api/account');
    await first.stop();

    const readLater = async (passedMs: number) => {
      await clock.advance(passedMs);
      const later = await openTestService(open(), { clock });
      const headers = { authorization: `Bearer ${reseller.token}` };
      const { body } = await later.raw({ method: 'GET', url: '/api/request-log?from=2026-01-01T00:00:00Z', headers });
      await later.stop();
      return body.data;
    };
    expect(await readLater(7 * DAY_MS)).toHaveLength(5);
    expect(await readLater(1)).toEqual([]);
  });
});
