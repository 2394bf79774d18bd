/** One order in each of its states, for the API description. */
const placed = {
  ref_id: 'INV-1001',
  order_id: 'TG01KJJW838RE3XBQJVHT10C9PTZ',
  service_code: 'MLBB-85',
  service_name: '85 Diamonds (77+8)',
  account_identifier: { user_id: '12345678', zone: '2001', nickname: 'Kesatria' },
  price: 23_600,
  status: 'Process',
  purchase_time: '2026-03-01T02:40:15+07:00',
  product_code: 'MLBB',
  currency: 'IDR',
  mode: 'live',
  serial_number: null,
  failure: null,
  updated_at: '2026-03-01T02:40:15+07:00',
};

const delivered = {
  ...placed,
  status: 'Success',
  serial_number: 'S2603010240178841',
  updated_at: '2026-03-01T02:40:17+07:00',
};

export const ORDER_EXAMPLES = {
  Process: placed,
  Success: delivered,
  Failed: {
    ...placed,
    status: 'Failed',
    failure: {
      code: 'out_of_stock',
      message: 'The item is out of stock. Your balance was refunded.',
      fixable_by_player: false,
    },
    updated_at: '2026-03-01T02:40:17+07:00',
  },
  Refunded: {
    ...delivered,
    status: 'Refunded',
    failure: {
      code: 'reversed',
      message: 'The delivery was taken back after it had succeeded. Your balance was refunded.',
      fixable_by_player: false,
    },
    updated_at: '2026-03-01T03:12:40+07:00',
  },
};
