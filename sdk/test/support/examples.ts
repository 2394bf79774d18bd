import type { Order } from '../../src/index.ts';

export const ORDER = {
  service_code: 'MLBB-85',
  ref_id: 'INV-1001',
  account_identifier: { user_id: '12345678', zone: '2001' },
};

/** An order as the service answers it. */
export function orderData(changes: Partial<Order> = {}): Order {
  return {
    ...ORDER,
    order_id: 'TG01M7Y25Q42E3EBAZ63ZHHHY577',
    service_name: '85 Diamonds',
    account_identifier: { ...ORDER.account_identifier, nickname: 'Budi' },
    price: 23_600,
    status: 'Process',
    purchase_time: '2026-03-01T09:40:15+07:00',
    product_code: 'MLBB',
    currency: 'IDR',
    mode: 'test',
    serial_number: null,
    failure: null,
    updated_at: '2026-03-01T09:40:15+07:00',
    ...changes,
  };
}
