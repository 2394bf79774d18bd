import type { RedactedRequest } from './redaction.ts';

/** One request of a reseller and how it was answered, kept for the reseller to look at for some days. */
export interface RequestEntry {
  accountId: string;
  id: string;
  requestId: string;
  method: string;
  path: string;
  status: number;
  /** Of the error the request was answered with; null when it succeeded. */
  problem: { code: string; message: string } | null;
  durationMs: number;
  request: RedactedRequest | null;
  /** When it was answered. */
  at: Date;
}
