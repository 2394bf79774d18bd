import { type Clock, SECOND_MS, withTimeLimit } from '../../lib/clock.ts';
import { fillTemplate, NAMES_NO_FIELDS, readPlayerFields } from '../account-template.ts';
import { toAmount } from '../lenient.ts';
import { toPlaceOutcome, toUnsendable } from '../meaning.ts';
import type { Delivered, PlaceOutcome, Purchase } from '../supplier.ts';
import { type SupplierCall, WireError } from '../wire.ts';
import { meaningOfRefusedOrder, meaningOfRefusedPlayer, NOT_SENT } from './map.ts';
import { type Account, createOrder, inquireOrder, type OrderRequest, type UnipinOrder, validatePlayer } from './wire.ts';

export const ACCOUNT_TEMPLATE = 'userid={user_id}&zoneid={zone}';
/** Of the time for a purchase, so that enough is left for the order itself. */
const VALIDATE_LIMIT_MS = 15 * SECOND_MS;

export interface Buyer {
  account: Account;
  clock: Clock;
  /** Amounts in another currency are not compared with ours. */
  currency: string | undefined;
}

export function toDelivered({ currency: ours }: Buyer, order: UnipinOrder): Delivered {
  const { transaction_number: number, amount, currency } = order;
  const isOurs = amount && currency === ours;
  return {
    kind: 'delivered',
    serialNumber: number,
    supplierReference: number,
    ...(isOurs && { charged: toAmount(amount, 'up') }),
  };
}

/** Binds the player to the order that follows. As long as this has not succeeded, nothing can have been bought. */
export async function validate(
  { account, clock }: Buyer,
  purchase: Purchase,
  call: SupplierCall,
): Promise<{ token: string } | PlaceOutcome> {
  const fields = readPlayerFields(purchase.accountText ?? fillTemplate(ACCOUNT_TEMPLATE, purchase));
  if (fields === null) return toUnsendable(NAMES_NO_FIELDS);
  try {
    const validation = { game_code: readSku(purchase.sku).gameCode, fields };
    const answer = await withTimeLimit(clock, VALIDATE_LIMIT_MS, () => validatePlayer(call, account, validation));
    if (answer.timedOut) return toPlaceOutcome(NOT_SENT, { detail: 'no answer to the validation in time' });
    if (!answer.value.refused) return { token: answer.value.data.validation_token };
    return toPlaceOutcome(meaningOfRefusedPlayer(answer.value), { detail: answer.value.reason });
  } catch (error) {
    if (error instanceof WireError && error.neverLeft) throw error;
    return toPlaceOutcome(NOT_SENT, { detail: `the player could not be validated: ${String(error)}` });
  }
}

/** Buys, for the player that was validated. The answer is final. */
export async function create(buyer: Buyer, order: OrderRequest, call: SupplierCall): Promise<PlaceOutcome> {
  const { account } = buyer;
  const answer = await createOrder(call, account, order).catch(orNotSent);
  if (answer === null) return toPlaceOutcome(NOT_SENT, { detail: 'the order never left after the validation' });
  if (!answer.refused) return toDelivered(buyer, answer.data);
  const meaning = meaningOfRefusedOrder(answer);
  if (meaning.is === 'unknown') return toPlaceOutcome(meaning, { detail: answer.reason });
  // The reasons are in no document, so a no counts only if the order is not there either.
  const inquiry = answer.isOurs ? null : await inquireOrder(call, account, order.reference_no);
  return inquiry && !inquiry.refused ? toDelivered(buyer, inquiry.data) : toPlaceOutcome(meaning, { detail: answer.reason });
}

/** Null where not one byte left: known here alone, as the validation before it did leave. */
function orNotSent(error: unknown): null {
  if (error instanceof WireError && error.neverLeft) return null;
  throw error;
}

/** `<game_code>:<denomination_id>`. */
export function readSku(sku: string): { gameCode: string; denominationId: string } {
  const [gameCode = '', denominationId = ''] = sku.split(':');
  return { gameCode, denominationId };
}
