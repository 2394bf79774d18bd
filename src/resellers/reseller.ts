import type { Mode } from '../lib/mode.ts';
import type { Amount } from '../lib/money.ts';

export const RESELLER_STATUSES = ['Active', 'Suspended'] as const;
export const SCOPES = ['read', 'order'] as const;

/** `read`: everything that changes nothing. `order`: placing orders as well. */
export type Scope = (typeof SCOPES)[number];

/** A client of the interface: has a prepaid balance in each mode, tokens and signing secrets. */
export interface Reseller {
  id: string;
  name: string;
  username: string;
  tierCode: string;
  status: (typeof RESELLER_STATUSES)[number];
  /** Below this live or test balance, in minor units, the reseller is told once; null: never. */
  lowBalanceThreshold: Amount | null;
  registeredAt: Date;
  updatedAt: Date;
}

/** An access token and its signing secret, as stored: the token as a hash, the secret sealed. */
export interface Credential {
  id: string;
  resellerId: string;
  mode: Mode;
  tokenHash: Uint8Array;
  tokenHint: string;
  secretSealed: Uint8Array;
  scopes: Scope[];
  /** Addresses and CIDR blocks; empty: from anywhere. */
  allowedIps: string[];
  expiresAt: Date | null;
  revokedAt: Date | null;
  createdAt: Date;
}
