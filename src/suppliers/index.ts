export { AccountFault } from './account-fault.ts';
export { checkTemplate, fillTemplate } from './account-template.ts';
export { addressFault } from './config-field.ts';
export { FAILURES, type FailureCode } from './failures.ts';
export type { Hold } from './hold.ts';
export type { CallKind, Exchange, ObserveCall, ObservedCall } from './observed-call.ts';
export type {
  CallbackMessage,
  CallbackReading,
  CheckOutcome,
  ConfigField,
  ForeignCurrency,
  ListedItem,
  LookupOutcome,
  LookupRequest,
  Misconfigured,
  NotSent,
  PlaceOutcome,
  Purchase,
  Supplier,
  SupplierKind,
  SupplierLimits,
  SupplierService,
  Told,
  Unknown,
  UnreadItem,
} from './supplier.ts';
export { type SupplierCall, type Wire, type WireAnswer, WireError, type WireRequest } from './wire.ts';
