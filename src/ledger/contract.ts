import { z } from 'zod';
import { formatTime } from '../lib/clock.ts';
import { toPublicId } from '../lib/ids.ts';
import { toJsonAmount } from '../lib/money.ts';
import { signedAmount, TRANSFER_KINDS, type Transfer } from './ledger.ts';

/** One line of a statement. */
export const transferViewSchema = z
  .object({
    transfer_id: z.string().describe('Identifier of the transfer, with the prefix `tr_`.'),
    kind: z.enum(TRANSFER_KINDS).describe('Why the money moved.'),
    amount: z.int().describe('The change of your balance in minor units: negative for money that went.'),
    balance_after: z.int().describe('Your balance after this transfer, in minor units.'),
    order_id: z.string().nullable().describe('The order it belongs to, if any.'),
    ref_id: z.string().nullable().describe('The `ref_id` of that order.'),
    reference: z.string().nullable().describe('The reference of a deposit, or the reason of an adjustment.'),
    time: z.string().describe('When it happened, ISO 8601 with offset.'),
  })
  .meta({ id: 'Transfer' });

export function transferView(transfer: Transfer, timeZone: string): z.infer<typeof transferViewSchema> {
  const ofOrder = transfer.orderId !== null;
  return {
    transfer_id: toPublicId('tr_', transfer.id),
    kind: transfer.kind,
    amount: toJsonAmount(signedAmount(transfer)),
    balance_after: toJsonAmount(transfer.balanceAfter),
    order_id: transfer.orderId === null ? null : toPublicId('TG', transfer.orderId),
    ref_id: ofOrder ? transfer.reference : null,
    reference: ofOrder ? null : transfer.reference,
    time: formatTime(transfer.createdAt, timeZone),
  };
}
