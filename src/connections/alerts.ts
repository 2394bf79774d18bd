import { type Clock, MINUTE_MS } from '../lib/clock.ts';
import type { Health } from '../supplier-health/index.ts';
import type { Connection } from './connection.ts';
import type { SupplierRecord } from './store.ts';

export const ALERT_KINDS = [
  'held',
  'resting',
  'failing',
  'low_balance',
  'stale_balance',
  'price_list_refused',
  'price_list_failed',
  'costs_held_back',
  'day_differs',
] as const;

/** Something about a supplier that an operator should look at. It is gone when its cause is. */
export interface Alert {
  kind: (typeof ALERT_KINDS)[number];
  message: string;
}

/** What other rooms have to say about suppliers, by supplier. */
export type AlertsBeside = () => Promise<ReadonlyMap<string, Alert[]>>;

const FAILING_BELOW = 0.8;
/** Fewer calls tell too little. */
const CALLS_TO_JUDGE = 10;
const BALANCE_STALE_AFTER_MS = 30 * MINUTE_MS;

export function listAlerts(
  supplier: SupplierRecord,
  context: { connection: Connection | null; health: Health; clock: Clock },
): Alert[] {
  const { connection, health, clock } = context;
  const alerts: Alert[] = [];
  const hold = connection ? connection.hold : supplier.hold;
  if (hold !== null) {
    const ends = hold.kind === 'needs_operator' ? ' Mend that, and let it work again: nothing else ends this hold.' : '';
    alerts.push({ kind: 'held', message: `It gets no orders: ${hold.reason}${ends && `.${ends}`}` });
  }
  if (connection?.health === 'Resting')
    alerts.push({ kind: 'resting', message: 'It failed too often in a row and is tried again by itself.' });
  if (health.successRate !== null && health.calls >= CALLS_TO_JUDGE && health.successRate < FAILING_BELOW)
    alerts.push({ kind: 'failing', message: `Only ${Math.round(health.successRate * 100)} % of its orders went well lately.` });
  const warnBalance = connection?.settings.warnBalance ?? null;
  if (warnBalance !== null && supplier.balance !== null && supplier.balance < warnBalance)
    alerts.push({
      kind: 'low_balance',
      message: `Our balance there, ${supplier.balance}, is below the warning of ${warnBalance}.`,
    });
  if (connection?.kind.capabilities.balance && supplier.status === 'Active' && isStale(supplier, clock))
    alerts.push({ kind: 'stale_balance', message: 'It has not told our balance for half an hour.' });
  return alerts;
}

function isStale({ balanceAt, createdAt }: SupplierRecord, clock: Clock): boolean {
  return clock.now().getTime() - (balanceAt ?? createdAt).getTime() > BALANCE_STALE_AFTER_MS;
}
