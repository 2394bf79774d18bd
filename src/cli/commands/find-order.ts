import { fromPublicId } from '../../lib/ids.ts';
import type { AdminOrder } from '../answers.ts';
import type { Client } from '../client.ts';
import { CommandError } from '../errors.ts';

/** Whether the text has the form of an order id; everything else is taken for a client's reference. */
export function isOrderId(text: string): boolean {
  return fromPublicId('TG', text) !== null;
}

/** The id of the order that an operator names by its id or by the reseller's `ref_id`, which two resellers may share. */
export async function findOrderId(client: Client, name: string): Promise<string> {
  if (isOrderId(name)) return name;
  const { data } = await client.get<AdminOrder[]>('/admin/api/order', { ref_id: name });
  const [first, ...others] = data;
  if (!first) throw new CommandError(`There is no order "${name}". Give its id (TG…) or its ref_id.`);
  if (others.length > 0) {
    const lines = data.map(({ order_id, mode, service_code }) => `  ${order_id}  ${mode}  ${service_code}`);
    throw new CommandError(
      `${data.length} orders have the ref_id "${name}". Give the id of the one you mean:\n${lines.join('\n')}`,
    );
  }
  return first.order_id;
}
