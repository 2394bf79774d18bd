import { MAX_AMOUNT } from '../lib/money.ts';
import type { ListedItem, SupplierService, UnreadItem } from '../suppliers/index.ts';

const MAX_SKU_LENGTH = 128;
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

/** The items of a list that can be kept and routed to, apart from what could not be read of it. One odd item costs no other. */
export function divideList(items: readonly ListedItem[]): { listed: SupplierService[]; unread: UnreadItem[] } {
  const listed: SupplierService[] = [];
  const unread: UnreadItem[] = [];
  for (const item of items) {
    if ('unread' in item) unread.push(item);
    else if (item.sku === '' || item.sku.length > MAX_SKU_LENGTH)
      unread.push({
        sku: item.sku.slice(0, MAX_SKU_LENGTH),
        unread: `its name is empty or longer than ${MAX_SKU_LENGTH} characters`,
      });
    else if (item.cost < 0n || item.cost > MAX_AMOUNT) unread.push({ sku: item.sku, unread: 'the cost is no amount' });
    else if (item.cutOff && ![item.cutOff.start, item.cutOff.end].every((time) => TIME_OF_DAY.test(time))) {
      const { cutOff, ...rest } = item;
      listed.push(rest);
      unread.push({ sku: item.sku, unread: `cut-off: ${cutOff.start}-${cutOff.end}` });
    } else listed.push(item);
  }
  return { listed, unread };
}
