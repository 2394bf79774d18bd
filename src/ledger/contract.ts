import { z } from 'zod';
import { idField, timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { toPublicId } from '../lib/ids.ts';
import { toJsonAmount } from '../lib/money.ts';
import { signedAmount, TRANSFER_KINDS, type Transfer } from './ledger.ts';

/** One line of a statement. */
export const transferViewSchema = z
  .object({
    transfer_id: idField('tr_', '01KJJW838RE3XSC4QCDQC2E2ZP').describe('Identifier of the transfer.'),
    kind: z.enum(TRANSFER_KINDS).describe('Why the money moved.'),
    amount: z.int().describe('The change of your balance in minor units: negative for money that went.'),
    balance_after: z.int().describe('Your balance after this transfer, in minor units.'),
    order_id: idField('TG', '01KJJW838RE3XBQJVHT10C9PTZ').nullable().describe('The order it belongs to, if any.'),
    ref_id: z.string().nullable().describe('The `ref_id` of that order.'),
    reference: z.string().nullable().describe('The reference of a deposit, or the reason of an adjustment.'),
    time: timeField.describe('When it happened.'),
  })
  .meta({
    id: 'Transfer',
    examples: [
      {
        transfer_id: 'tr_01KJJW838RE3XSC4QCDQC2E2ZP',
        kind: 'order',
        amount: -23_600,
        balance_after: 976_400,
        order_id: 'TG01KJJW838RE3XBQJVHT10C9PTZ',
        ref_id: 'INV-1001',
        reference: null,
        time: '2026-03-01T02:40:15+07:00',
      },
    ],
  });

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
