import type { z } from 'zod';
import type { Db } from '../db/database.ts';
import { findExchanges } from '../exchanges/index.ts';
import { type Account, findAccountsById, listOrderTransfers, transferView } from '../ledger/index.ts';
import { required } from '../lib/assert.ts';
import { auditEntryView, listActions } from '../operators/index.ts';
import { deliveryView, eventView, findAttemptsOf, listOrderDeliveries, listOrderEvents } from '../webhooks/index.ts';
import { adminOrderView, attemptView, type orderDetailSchema, SHOWN_ACTIONS, SHOWN_EXCHANGES } from './admin-contract.ts';
import { findAttempts } from './attempt-store.ts';
import type { ViewSettings } from './contract.ts';
import { exchangeView } from './exchange-contract.ts';
import type { Order } from './order.ts';

/** Reads everything that happened to an order, for the answer of every route about one. */
export async function readOrderDetail(db: Db, order: Order, view: ViewSettings): Promise<z.infer<typeof orderDetailSchema>> {
  const [accounts, attempts, transfers, events, deliveries, actions] = await Promise.all([
    findAccountsById(db, [order.accountId]),
    findAttempts(db, [order]),
    listOrderTransfers(db, order.accountId, order.id),
    listOrderEvents(db, order.accountId, order.id),
    listOrderDeliveries(db, order.accountId, order.id),
    listActions(db, { subject: order.id, limit: SHOWN_ACTIONS }),
  ]);
  const calls = await findAttemptsOf(db, deliveries);
  const references = attempts.map(({ reference }) => reference);
  const exchanges = await findExchanges(db, references, SHOWN_EXCHANGES);
  return {
    ...adminOrderView(order, resellerOf(order, accounts), view),
    attempts: attempts.map((attempt) => ({
      ...attemptView(attempt, view.timeZone),
      exchanges: (exchanges.get(attempt.reference) ?? []).map((exchange) => exchangeView(exchange, view.timeZone)),
    })),
    transfers: transfers.map((transfer) => transferView(transfer, view.timeZone)),
    audit_log: actions.items.map((entry) => auditEntryView(entry, view.timeZone)),
    events: events.map((event) => eventView(event, view.timeZone)),
    deliveries: deliveries.map((delivery) => deliveryView(delivery, calls.get(delivery.id) ?? [], view.timeZone)),
  };
}

export function resellerOf(order: Order, accounts: Map<string, Account>): string {
  return required(accounts.get(order.accountId), 'the account of an order').resellerId;
}
