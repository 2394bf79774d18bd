import { createHash, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../lib/clock.ts';
import { storableText } from '../lib/storable-text.ts';
import type { CallbackReading } from '../suppliers/index.ts';

/** Where a hint stands. Messages of other kinds have no state: there is nothing to do about them. */
export const CALLBACK_STATES = ['Received', 'Asked', 'Settled', 'Late', 'Unmatched'] as const;
export type CallbackState = (typeof CALLBACK_STATES)[number];

export const CALLBACK_READINGS = ['hint', 'ping', 'forged', 'unreadable'] as const;

/** A message at a callback address, as stored. */
export interface Callback {
  id: string;
  supplierCode: string;
  method: string;
  query: string;
  body: Uint8Array;
  /** Those that matter, without secrets and signatures. */
  headers: Record<string, string>;
  remoteAddress: string;
  reading: CallbackReading['kind'];
  /** Why it is forged or cannot be read. */
  reason: string | null;
  /** What a hint tells. */
  status: string | null;
  reference: string | null;
  supplierReference: string | null;
  state: CallbackState | null;
  orderId: string | null;
  /** How often the same message came that day. */
  seen: number;
  createdAt: Date;
  lastSeenAt: Date;
  handledAt: Date | null;
}

const MASK = '•••';
const MAX_HEADERS = 20;
const MAX_TEXT_CHARACTERS = 256;
const KEPT_HEADER = /^(content-type|user-agent|x-.+)$/;
/** Everything else that begins with X- may be a signature or a token. */
const PLAIN_HEADER = /^(content-type|user-agent|x-forwarded-for|x-real-ip|x-request-id|x-.*(event|delivery|timestamp).*)$/;

/** The headers worth keeping: all names that may have mattered, and the values of those that cannot be used to deceive us. */
export function keepHeaders(headers: Record<string, string>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => KEPT_HEADER.test(name));
  return Object.fromEntries(
    kept.slice(0, MAX_HEADERS).map(([name, value]) => [keepText(name), PLAIN_HEADER.test(name) ? keepText(value) : MASK]),
  );
}

/** A text of a stranger, bounded. */
export function keepText(text: string): string {
  return storableText(text, MAX_TEXT_CHARACTERS);
}

/**
 * Names a message by what it says: the same one again within a day is the same row. What it was taken for is part of it, or the
 * forged copy of a message would take the place of the real one before that was worked off.
 */
export function digestOf(message: { reading: CallbackReading['kind']; method: string; query: string; rawBody: Buffer }): Buffer {
  const head = `${message.reading}\n${message.method}\n${message.query}\n`;
  return createHash('sha256').update(head).update(message.rawBody).digest();
}

export function dayOf(time: Date): number {
  return Math.floor(time.getTime() / DAY_MS);
}

/** Whether the key of an address is the supplier's, in a time that tells nothing about how much of a guess was right. */
export function isKey(given: string, expected: string | null): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(given), digest(expected ?? '')) && expected !== null;
}
