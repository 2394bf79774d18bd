import type { FinishedOrder, Order } from './contract.ts';
import type { Clock } from './core/clock.ts';
import { TopgateError } from './errors.ts';
import type { OrderReference, Orders } from './resources/orders.ts';

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** How long to wait at most. Default: five minutes. */
  timeoutMs?: number | undefined;
}

const WAIT_LIMIT_MS = 300_000;
const FIRST_POLL_MS = 500;
const POLL_GROWTH = 1.5;
const MAX_POLL_MS = 10_000;
/** The last question of a wait gets this long, even when the time is up. */
const MIN_ASK_MS = 1_000;

/** Asks at growing intervals: most orders end within seconds, and the others are not hurried by asking. */
export async function waitForOrder(
  orders: Orders,
  clock: Clock,
  reference: OrderReference,
  { signal, timeoutMs = WAIT_LIMIT_MS }: WaitOptions,
): Promise<FinishedOrder> {
  const endMs = clock.now().getTime() + timeoutMs;
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(MAX_POLL_MS, Math.round(waitMs * POLL_GROWTH))) {
    const remainingMs = endMs - clock.now().getTime();
    const order = await orders.status(reference, { signal, deadlineMs: Math.max(remainingMs, MIN_ASK_MS) });
    if (isFinished(order)) return order;
    const leftMs = endMs - clock.now().getTime();
    if (leftMs <= 0) throw stillPending(order, timeoutMs);
    await clock.sleep(Math.min(waitMs, leftMs), signal);
  }
}

/** Whether the order is delivered, or its money went back. */
export function isFinished(order: Order): order is FinishedOrder {
  return order.status !== 'Process';
}

function stillPending(order: Order, timeoutMs: number): TopgateError<'order_pending'> {
  return new TopgateError({
    code: 'order_pending',
    message: `The order ${order.ref_id} is still in Process after ${timeoutMs} ms. It goes on: ask again later, or follow the events.`,
    details: { order },
    retryable: true,
  });
}
