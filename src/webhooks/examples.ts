/** One of each, for the API description. */
export const EVENT_EXAMPLE = {
  event_id: 'evt_01KJJW8578E50T0CDY8X9GRWAC',
  type: 'balance.low',
  timestamp: '2026-03-01T02:40:17+07:00',
  sequence: 128,
  data: { balance: 88_400, threshold: 100_000, currency: 'IDR' },
};

export const ENDPOINT_EXAMPLE = {
  webhook_id: 'wh_01KHWFTTW0E1T8MVQTEK68420P',
  url: 'https://shop.example/topgate',
  types: ['order.success', 'order.failed'],
  status: 'Active',
  disabled_reason: null,
  failing_since: null,
  created_at: '2026-02-20T10:00:00+07:00',
  updated_at: '2026-02-20T10:00:00+07:00',
};

export const DELIVERY_EXAMPLE = {
  delivery_id: 'dlv_01KJJW8578E51A16ZAVC8BSF75',
  webhook_id: ENDPOINT_EXAMPLE.webhook_id,
  event_id: 'evt_01KJJW8578E50T0CDY8X9GRWAC',
  type: 'order.success',
  sequence: 128,
  status: 'Delivered',
  next_attempt_at: null,
  attempts: [{ number: 1, time: '2026-03-01T02:40:17+07:00', status: 200, error: null, duration_ms: 41, response: 'OK' }],
  created_at: '2026-03-01T02:40:17+07:00',
};
