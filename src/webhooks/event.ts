/** What resellers are told of, by the event feed and by webhooks. */
export const EVENT_TYPES = [
  'order.success',
  'order.failed',
  'order.refunded',
  'balance.credited',
  'balance.low',
  'service.updated',
  'webhook.test',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Something that happened, not yet numbered: the number is given when it is written. */
export interface NewEvent {
  id: string;
  accountId: string;
  type: EventType;
  orderId: string | null;
  /** The payload as resellers get it, rendered now: an event never changes afterwards. */
  data: Record<string, unknown>;
  at: Date;
}

/** An event on the feed of one account. `sequence` rises by exactly one. */
export interface FeedEvent extends NewEvent {
  sequence: bigint;
}
