import { type Clock, SECOND_MS, withTimeLimit } from '../../lib/clock.ts';
import { fillTemplate, NAMES_NO_FIELDS, readPlayerFields } from '../account-template.ts';
import { toAmount } from '../lenient.ts';
import { chosenWords, toPlaceOutcome, toUnsendable } from '../meaning.ts';
import type { Delivered, NotSent, PlaceOutcome, Purchase } from '../supplier.ts';
import { type SupplierCall, WireError } from '../wire.ts';
import { isOrderUnknown, meaningOfRefusedOrder, meaningOfRefusedPlayer } from './map.ts';
import { type Account, createOrder, inquireOrder, type OrderRequest, type UnipinOrder, validatePlayer } from './wire.ts';

export const ACCOUNT_TEMPLATE = 'userid={user_id}&zoneid={zone}';
/** Of the time for a purchase, so that enough is left for the order itself: the validation has so much, and a part of it at most. */
const VALIDATE_LIMIT_MS = 15 * SECOND_MS;
const VALIDATE_PART = 1 / 3;

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
  const limitMs = Math.min(VALIDATE_LIMIT_MS, (call.limitMs ?? Number.POSITIVE_INFINITY) * VALIDATE_PART);
  try {
    const validation = { game_code: readSku(purchase.sku).gameCode, fields };
    const answer = await withTimeLimit(clock, limitMs, () => validatePlayer(call, account, validation));
    if (answer.timedOut) return notSent('no answer in time');
    if (!answer.value.refused) return { token: answer.value.data.validation_token };
    const meaning = meaningOfRefusedPlayer(answer.value, chosenWords(purchase));
    return meaning === null ? notSent(answer.value.reason) : toPlaceOutcome(meaning, { detail: answer.value.reason });
  } catch (error) {
    return notSent(error instanceof WireError ? error.message : 'the answer means nothing');
  }
}

function notSent(reason: string): NotSent {
  return { kind: 'not_sent', reason: `the player could not be validated: ${reason}` };
}

/** Buys, for the player that was validated. The answer is final. */
export async function create(
  buyer: Buyer,
  order: OrderRequest,
  { chosen }: { chosen: string },
  call: SupplierCall,
): Promise<PlaceOutcome> {
  const { account } = buyer;
  const answer = await createOrder(call, account, order).catch(readNotSent);
  if ('kind' in answer) return answer;
  if (!answer.refused) return toDelivered(buyer, answer.data);
  // The reasons are in no document, so a no counts only if the order is not there either.
  const inquiry = await inquireOrder(call, account, order.reference_no);
  if (!inquiry.refused) return toDelivered(buyer, inquiry.data);
  if (isOrderUnknown(inquiry)) return toPlaceOutcome(meaningOfRefusedOrder(answer, chosen), { detail: answer.reason });
  return { kind: 'unknown', reason: `${answer.reason}; asked about it: ${inquiry.reason}` };
}

/** Where not one byte of the order left: known here alone, as the validation before it did leave. */
function readNotSent(error: unknown): NotSent {
  if (error instanceof WireError && error.neverLeft) return { kind: 'not_sent', reason: error.message };
  throw error;
}

/** `<game_code>:<denomination_id>`. */
export function readSku(sku: string): { gameCode: string; denominationId: string } {
  const [gameCode = '', denominationId = ''] = sku.split(':');
  return { gameCode, denominationId };
}
