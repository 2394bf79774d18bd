import type { Hold } from './hold.ts';

/** One request of a call and what came back, without its secrets. */
export interface Exchange {
  method: string;
  url: string;
  requestBody: string | null;
  /** HTTP status; null when no answer came. */
  status: number | null;
  responseBody: string | null;
  /** Why no answer came. */
  error: string | null;
  durationMs: number;
}

export type CallKind = 'place' | 'check' | 'lookup' | 'balance' | 'list';

/** A call to a supplier that has ended, as those who keep records of them see it. */
export interface ObservedCall {
  supplierCode: string;
  call: CallKind;
  /** Our reference of the purchase that it was about; null for calls about none. */
  reference: string | null;
  /** The kind of the outcome, and the supplier's words or our reason. */
  outcome: string;
  detail: string | null;
  /** Of a rejection: the order itself was at fault, so no other supplier would have taken it either. */
  isOrderAtFault?: boolean;
  /** What stops all further orders, when the answer told of that. */
  hold: Hold | null;
  at: Date;
  durationMs: number;
  exchanges: Exchange[];
}

/** Must not throw and must not wait: it is called on the path of every order. */
export type ObserveCall = (call: ObservedCall) => void;
