import { z } from 'zod';
import { refusedQuestion } from '../account-fault.ts';
import { asideDecimal, asideText, lenientDecimal, lenientText } from '../lenient.ts';
import { md5 } from '../proof.ts';
import { readJson, type SupplierCall } from '../wire.ts';
import { meaningOfRefusal } from './map.ts';

export interface Account {
  baseUrl: string;
  apiId: string;
  apiKey: string;
}

/** The same for every call and every callback: it covers nothing of what is said. */
export function sign({ apiId, apiKey }: Account): string {
  return md5(`${apiId}${apiKey}`);
}

export interface OrderRequest {
  service: string;
  data_no: string;
  data_zone?: string;
}

const transactionSchema = z.object({
  trxid: lenientText,
  status: lenientText,
  data: asideText,
  zone: asideText,
  service: asideText,
  note: asideText,
  price: asideDecimal,
});

export type Transaction = z.infer<typeof transactionSchema>;

/** There are no codes: why a request was refused stands in a sentence. */
export type Answer<Data> = { is: 'taken'; data: Data } | { is: 'refused'; message: string };

export function postOrder(call: SupplierCall, account: Account, request: OrderRequest): Promise<Answer<Transaction>> {
  return post(call, account, { path: 'game-feature', fields: { type: 'order', ...request }, data: transactionSchema });
}

/** A list, also for one: of the order with that name, or of the latest ones of the whole account. */
export function askStatus(
  call: SupplierCall,
  account: Account,
  which: { trxid: string } | { limit: number },
): Promise<Answer<Transaction[]>> {
  const fields: Record<string, string> = 'trxid' in which ? which : { limit: String(which.limit) };
  return post(call, account, { path: 'game-feature', fields: { type: 'status', ...fields }, data: z.array(transactionSchema) });
}

export function askNickname(call: SupplierCall, account: Account, player: Record<string, string>): Promise<Answer<string>> {
  return post(call, account, { path: 'game-feature', fields: { type: 'get-nickname', ...player }, data: z.string().min(1) });
}

export const PRICE_LEVELS = ['basic', 'premium', 'special'] as const;
export type PriceLevel = (typeof PRICE_LEVELS)[number];

/** It may tell the prices of more levels than are known, or of fewer. */
export const itemSchema = z.object({
  code: lenientText,
  game: asideText,
  name: asideText,
  price: z.record(z.string(), asideDecimal),
  status: lenientText,
});

export type PriceListItem = z.infer<typeof itemSchema>;

export async function readPriceList(call: SupplierCall, account: Account): Promise<unknown[]> {
  const fields = { type: 'services', filter_type: 'game' };
  return insist(await post(call, account, { path: 'game-feature', fields, data: z.array(z.unknown()) }));
}

export async function readBalance(call: SupplierCall, account: Account): Promise<string> {
  const data = z.object({ balance: lenientDecimal });
  return insist(await post(call, account, { path: 'profile', fields: {}, data })).balance;
}

function insist<Data>(answer: Answer<Data>): Data {
  if (answer.is === 'refused')
    throw refusedQuestion(meaningOfRefusal(answer.message, { asked: true }), `Refused: ${answer.message}`);
  return answer.data;
}

async function post<Data>(
  call: SupplierCall,
  account: Account,
  { path, fields, data }: { path: string; fields: Record<string, string>; data: z.ZodType<Data> },
): Promise<Answer<Data>> {
  const answer = await call.send({
    method: 'POST',
    url: `${account.baseUrl}/${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key: account.apiKey, sign: sign(account), ...fields }).toString(),
  });
  const envelope = z
    .union([z.object({ result: z.literal(true), data }), z.object({ result: z.literal(false), message: lenientText })])
    .parse(readJson(answer));
  return envelope.result ? { is: 'taken', data: envelope.data } : { is: 'refused', message: envelope.message };
}
