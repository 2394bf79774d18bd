import { formatAmount } from '../lib/money.ts';
import type { AdminOrder, Order } from './answers.ts';
import type { Cell, Tone } from './table.ts';

const TONES: Record<string, Tone> = {
  Success: 'good',
  Active: 'good',
  Delivered: 'good',
  Failed: 'bad',
  Revoked: 'bad',
  Rejected: 'bad',
  Suspended: 'bad',
  Process: 'warning',
  Refunded: 'warning',
  Reversed: 'warning',
  Expired: 'warning',
  Unknown: 'warning',
  Paused: 'warning',
  Resting: 'warning',
  Held: 'bad',
};

/** A status word, in the colour of what it means. */
export function statusCell(status: string): Cell {
  const tone = TONES[status];
  return tone ? { text: status, tone } : status;
}

/** An order's status; one that waits for an operator says so. */
export function orderStatusCell(order: Order | AdminOrder): Cell {
  if ('review' in order && order.review !== null) return { text: `${order.status} (review)`, tone: 'bad' };
  return statusCell(order.status);
}

/** An amount of the interface, which sends whole minor units. */
export function money(amount: number, currency: string): string {
  return formatAmount(BigInt(amount), currency);
}

/** A change of a balance: its sign tells whether money came or went. */
export function moneyChange(amount: number, currency: string): string {
  return `${amount < 0 ? '-' : '+'}${money(Math.abs(amount), currency)}`;
}

/** `2026-03-01T02:40:15+07:00` as `2026-03-01 02:40:15`: a column of times needs no offset on every line. */
export function shortTime(time: string): string {
  return time.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length).replace('T', ' ');
}

/** The same with its offset, for the one time that stands alone. */
export function fullTime(time: string | null): string | null {
  return time === null ? null : `${shortTime(time)} ${time.slice('YYYY-MM-DDTHH:MM:SS'.length)}`;
}

/** `12345678 (2001) Budi`: user id, zone, nickname, as far as there are any. */
export function playerText({ user_id, zone, nickname }: Order['account_identifier']): string {
  return [user_id, zone && `(${zone})`, nickname].filter((part) => part !== '').join(' ');
}

/** `1 service`, `2 services`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
