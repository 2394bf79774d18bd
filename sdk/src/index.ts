export type * from './contract.ts';
export type { Clock } from './core/clock.ts';
export type { Page, Paged, PageParams } from './core/paged.ts';
export type { AttemptReport, Fetch, RequestOptions } from './core/transport.ts';
export {
  type AnyErrorCode,
  type ClientErrorCode,
  type ConnectionErrorCode,
  type DetailsOf,
  type ErrorCode,
  type Issue,
  isTopgateError,
  TopgateAbortError,
  TopgateConnectionError,
  TopgateError,
  TopgateOutcomeUnknownError,
  TopgateTimeoutError,
  TopgateWebhookError,
  type WebhookFault,
} from './errors.ts';
export type { TransactionParams } from './resources/account.ts';
export type { PlayerParams } from './resources/catalogue.ts';
export type { EventListParams, FollowOptions } from './resources/events.ts';
export type { OrderListParams, OrderReference } from './resources/orders.ts';
export type { RequestLogParams } from './resources/request-log.ts';
export type { DeliveryParams, WebhookChanges, WebhookParams } from './resources/webhooks.ts';
export { type OrderParams, signOrder, stringToSign } from './signature.ts';
export { Topgate, type TopgateOptions } from './topgate.ts';
export { isFinished, type WaitOptions } from './wait-for-order.ts';
export {
  newWebhookSecret,
  type SignedWebhookHeaders,
  type SignWebhookParams,
  signWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
} from './webhook.ts';
