import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TopgateEvent } from '../../sdk/src/index.ts';
import { describeOnBothEngines } from '../support/engines.ts';
import { openTestService, type TestReseller, type TestService, until } from '../support/service.ts';

describeOnBothEngines('the event feed', (open) => {
  let topgate: TestService;
  beforeAll(async () => {
    topgate = await openTestService(open());
  });
  afterAll(() => topgate.stop());

  /** Follows the feed as a client does: what is read once counts as had, and nothing before it is asked for again. */
  async function follow(reseller: TestReseller, isDone: (count: number) => boolean): Promise<TopgateEvent[]> {
    const read: TopgateEvent[] = [];
    await until(async () => {
      const after = read.at(-1)?.sequence ?? 0;
      read.push(...(await reseller.topgate.events.list({ after, limit: 7 })));
      return isDone(read.length);
    }, 'all events have been read');
    return read;
  }

  test('whoever follows it while orders, deposits and tests are recorded at once reads every number once, in order', async () => {
    const reseller = await topgate.reseller({ balance: 50_000_000 });
    const { webhook_id } = await reseller.topgate.webhooks.create({ url: 'https://127.0.0.1:9/hook' });
    const orders = 120;
    const deposits = 30;
    const tests = 30;
    const total = 1 + orders + deposits + tests;
    const followers = Promise.all([1, 2, 3].map(() => follow(reseller, (count) => count >= total)));
    await Promise.all([
      ...Array.from({ length: orders }, () => reseller.buy({ user_id: '123450001' })),
      ...Array.from({ length: deposits }, (_, index) =>
        topgate.admin('POST', `/admin/api/reseller/${reseller.resellerId}/deposit`, {
          amount: 5,
          mode: 'test',
          reference: `D-${index}`,
        }),
      ),
      ...Array.from({ length: tests }, () => reseller.topgate.webhooks.test(webhook_id)),
    ]);
    for (const read of await followers) {
      expect(read.map(({ sequence }) => sequence)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
      const count = (type: string) => read.filter((event) => event.type === type).length;
      expect([count('order.success'), count('balance.credited'), count('webhook.test')]).toEqual([orders, deposits + 1, tests]);
    }
  });
});
