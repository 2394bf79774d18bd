import { z } from 'zod';
import { refusedQuestion } from '../account-fault.ts';
import { postJson, refuseForeignAnswer } from '../json-call.ts';
import { asideDecimal, asideText, lenientDecimal, lenientText } from '../lenient.ts';
import { findCode, type Meaning } from '../meaning.ts';
import { md5 } from '../proof.ts';
import { readJson, type SupplierCall } from '../wire.ts';
import { RESPONSE_CODES } from './map.ts';

export interface Account {
  baseUrl: string;
  username: string;
  apiKey: string;
}

/** Lower-case hex of `md5(username + apiKey + what)`, nothing between; `what` depends on the call (docs, "Request"). */
export function sign({ username, apiKey }: Account, what: string): string {
  return md5(`${username}${apiKey}${what}`);
}

export interface TopUpRequest {
  ref_id: string;
  customer_id: string;
  product_code: string;
}

/** A refusal has the code and its words alone; what is a number in answers is text in callbacks. */
const transactionSchema = z.object({
  rc: lenientText,
  status: lenientText.nullish(),
  message: asideText,
  ref_id: lenientText.nullish(),
  tr_id: asideText,
  price: asideDecimal,
  sn: asideText,
  pin: asideText,
});

export type Transaction = z.infer<typeof transactionSchema>;

export async function postTopUp(call: SupplierCall, account: Account, request: TopUpRequest): Promise<Transaction> {
  return readTransaction(await post(call, account, 'top-up', request, request.ref_id), request.ref_id);
}

export async function askStatus(call: SupplierCall, account: Account, reference: string): Promise<Transaction> {
  return readTransaction(await post(call, account, 'check-status', { ref_id: reference }, reference), reference);
}

function readTransaction(answer: unknown, reference: string): Transaction {
  const { data } = z.object({ data: transactionSchema }).parse(answer);
  refuseForeignAnswer(data.ref_id, reference);
  return data;
}

const inquirySchema = z.object({
  data: z.object({ rc: lenientText, message: lenientText.nullish(), username: lenientText.nullish() }),
});

export type Inquiry = z.infer<typeof inquirySchema>['data'];

export async function askNickname(call: SupplierCall, account: Account, game: string, customerId: string): Promise<Inquiry> {
  const body = { game_code: game, customer_id: customerId };
  return inquirySchema.parse(await post(call, account, 'inquiry-game', body, game)).data;
}

const refusalSchema = z.object({ rc: lenientText, message: lenientText.nullish() });

export async function readBalance(call: SupplierCall, account: Account): Promise<string> {
  const { data } = z
    .object({ data: z.union([z.object({ balance: lenientDecimal }), refusalSchema]) })
    .parse(await post(call, account, 'check-balance', {}, 'bl'));
  if (!('balance' in data))
    throw refusedQuestion(
      findCode<Meaning>(RESPONSE_CODES, data.rc),
      `The balance was not told: ${data.rc} ${data.message ?? ''}`,
    );
  return data.balance;
}

export const itemSchema = z.object({
  product_code: lenientText,
  product_description: asideText,
  product_nominal: asideText,
  product_price: lenientDecimal,
  status: lenientText,
});

export type PriceListItem = z.infer<typeof itemSchema>;

const itemsSchema = z.array(z.unknown());

/** Documented as a bare list; it is also read one level deeper, where the interface is said to have it. */
export async function readPriceList(call: SupplierCall, account: Account): Promise<unknown[]> {
  const { data } = z
    .object({ data: z.union([itemsSchema, z.object({ pricelist: itemsSchema }), refusalSchema]) })
    .parse(await post(call, account, 'pricelist', { status: 'all' }, 'pl'));
  if ('rc' in data) throw new Error(`The price list was not told: ${data.rc} ${data.message ?? ''}`);
  return 'pricelist' in data ? data.pricelist : data;
}

async function post(call: SupplierCall, account: Account, path: string, request: object, signed: string): Promise<unknown> {
  const body = { username: account.username, ...request, sign: sign(account, signed) };
  return readJson(await postJson(call, `${account.baseUrl}/api/${path}`, body));
}
