import { toOrderId } from '../../src/orders/order.ts';
import type { World } from './world.ts';

/** Everything that is known of one order, by us and by the suppliers, and what happened in the world meanwhile. */
export async function tellStory({ engine, books, tally, time }: World, orderId: string): Promise<string[]> {
  const read = async (title: string, query: string) => (await engine.read(query)).map((row) => `${title} ${showRow(row)}`);
  const publicId = toOrderId(orderId);
  const purchases = books.purchasesOf(orderId).map(({ upstream, order }) => {
    const { id, reference, sku, account, takenAt, fate } = order;
    return `supplier ${upstream.code} ${showRow({ id, reference, sku, account, takenAt, ...fate, state: upstream.shop.stateOf(order) })}`;
  });
  return [
    `${publicId} at ${new Date(time.nowMs).toISOString()}`,
    ...(await read('order', `select * from orders where id = '${orderId}'`)),
    ...(await read('attempt', `select * from attempts where order_id = '${orderId}' order by number`)),
    ...(await read('transfer', `select seq, kind, amount, created_at from transfers where order_id = '${orderId}' order by seq`)),
    ...(await read('event', `select sequence, type, created_at from events where order_id = '${orderId}' order by sequence`)),
    ...(await read(
      'operator',
      `select action, details, created_at from audit_log where subject = '${orderId}' order by created_at`,
    )),
    ...purchases,
    ...tally.chronicle.slice(-LINES).map((line) => `world ${line}`),
  ];
}

const LINES = 40;
const UNTOLD = [
  'account_id',
  'id',
  'order_id',
  'service_name',
  'product_code',
  'mode',
  'failure_message',
  'failure_fixable',
  'nickname',
];

function showRow(row: Record<string, unknown>): string {
  return Object.entries(row)
    .filter(([name, value]) => value !== null && value !== undefined && !UNTOLD.includes(name))
    .map(
      ([name, value]) =>
        `${name}=${value instanceof Date ? value.toISOString() : typeof value === 'object' ? JSON.stringify(value) : value}`,
    )
    .join(' ');
}
