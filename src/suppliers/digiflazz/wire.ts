import { createHash } from 'node:crypto';
import { z } from 'zod';
import { refusedQuestion } from '../account-fault.ts';
import { refuseForeignAnswer } from '../json-call.ts';
import { asideDecimal, asideText, lenientDecimal, lenientText } from '../lenient.ts';
import { findCode, type Meaning } from '../meaning.ts';
import { asideField, lenientBoolean } from '../price-entries.ts';
import { readJson, type SupplierCall } from '../wire.ts';
import { RESPONSE_CODES } from './map.ts';

export interface Account {
  baseUrl: string;
  username: string;
  apiKey: string;
}

/** Lower-case hex of `md5(username + apiKey + what)`, nothing between; `what` depends on the call (docs, "Persiapan"). */
export function sign({ username, apiKey }: Account, what: string): string {
  return createHash('md5').update(`${username}${apiKey}${what}`).digest('hex');
}

/** The body of `/transaction`. What is sent again must be the same to the byte, so everything in it comes from the attempt. */
export interface TransactionRequest {
  buyer_sku_code: string;
  customer_no: string;
  ref_id: string;
  testing?: true;
  max_price?: number;
  allow_dot?: true;
}

/** `0:15` and `0:0` are `00:15` and `00:00`. There is no 24:00. */
const timeOfDay = z
  .string()
  .regex(/^([01]?\d|2[0-3]):[0-5]?\d$/)
  .transform((text) =>
    text
      .split(':')
      .map((part) => part.padStart(2, '0'))
      .join(':'),
  );

/** The state decides. What cannot be read beside it is not told: a delivery is one without a price or a message, too. */
export const transactionSchema = z.object({
  status: lenientText,
  ref_id: asideText,
  rc: asideText.transform((rc) => rc ?? ''),
  message: asideText,
  sn: asideText,
  price: asideDecimal,
});

export type Transaction = z.infer<typeof transactionSchema>;

/** What an item cannot be sold without; the rest counts as not told where it cannot be read. */
export const itemSchema = z.object({
  buyer_sku_code: lenientText,
  product_name: asideText,
  price: lenientDecimal,
  buyer_product_status: lenientBoolean,
  seller_product_status: lenientBoolean,
  unlimited_stock: asideField(lenientBoolean),
  stock: asideField(lenientDecimal),
  multi: asideField(lenientBoolean),
  start_cut_off: asideField(timeOfDay),
  end_cut_off: asideField(timeOfDay),
});

export type Item = z.infer<typeof itemSchema>;

const refusalSchema = z.object({ rc: lenientText, message: lenientText.default('') });

export async function postTransaction(call: SupplierCall, account: Account, request: TransactionRequest): Promise<Transaction> {
  const body = { username: account.username, ...request, sign: sign(account, request.ref_id) };
  const { data } = z.object({ data: transactionSchema }).parse(await post(call, account, 'transaction', body));
  refuseForeignAnswer(data.ref_id, request.ref_id);
  return data;
}

export async function readDeposit(call: SupplierCall, account: Account): Promise<string> {
  const body = { cmd: 'deposit', username: account.username, sign: sign(account, 'depo') };
  const { data } = z
    .object({ data: z.union([z.object({ deposit: lenientDecimal }), refusalSchema]) })
    .parse(await post(call, account, 'cek-saldo', body));
  if (!('deposit' in data))
    throw refusedQuestion(findCode<Meaning>(RESPONSE_CODES, data.rc), `The balance was not told: ${data.rc} ${data.message}`);
  return data.deposit;
}

/** Where the list was asked for too often, `data` is an object with the code 83 instead of a list. */
export async function readPriceList(call: SupplierCall, account: Account): Promise<unknown[]> {
  const body = { cmd: 'prepaid', username: account.username, sign: sign(account, 'pricelist') };
  const { data } = z
    .object({ data: z.union([z.array(z.unknown()), refusalSchema]) })
    .parse(await post(call, account, 'price-list', body));
  if (!Array.isArray(data)) throw new Error(`The price list was not told: ${data.rc} ${data.message}`);
  return data;
}

async function post(call: SupplierCall, { baseUrl }: Account, path: string, body: object): Promise<unknown> {
  const answer = await call.send({
    method: 'POST',
    url: `${baseUrl}/${path}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return readJson(answer);
}
