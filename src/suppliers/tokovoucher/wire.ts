import { z } from 'zod';
import { refusedQuestion } from '../account-fault.ts';
import { getWithQuery, postJson, readJsonOfSuccess, refuseForeignAnswer } from '../json-call.ts';
import { asideDecimal, asideText, lenientDecimal, lenientText } from '../lenient.ts';
import { md5 } from '../proof.ts';
import type { SupplierCall } from '../wire.ts';
import { meaningOfRefusal } from './map.ts';

export interface Account {
  baseUrl: string;
  memberCode: string;
  secret: string;
}

/** For everything about one purchase, callbacks included. */
export function signReference({ memberCode, secret }: Account, reference: string): string {
  return md5(`${memberCode}:${secret}:${reference}`);
}

/** The "signature default" of its dashboard, for questions about the account and the catalogue. */
export function signAccount({ memberCode, secret }: Account): string {
  return md5(`${memberCode}:${secret}`);
}

export interface OrderRequest {
  ref_id: string;
  produk: string;
  tujuan: string;
  server_id: string;
}

/** A number is the refusal of a request, a text the state of a transaction. */
const refusalSchema = z.object({ status: z.literal([0, '0']), error_msg: lenientText });

const transactionSchema = z.object({
  status: z.string(),
  ref_id: lenientText.nullish(),
  trx_id: asideText,
  message: asideText,
  sn: asideText,
  price: asideDecimal,
});

export type Transaction = z.infer<typeof transactionSchema>;
export type Answer = { is: 'transaction'; transaction: Transaction } | { is: 'refused'; message: string };

export function postOrder(call: SupplierCall, account: Account, request: OrderRequest): Promise<Answer> {
  return transact(call, account, 'v1/transaksi', request);
}

export function askStatus(call: SupplierCall, account: Account, reference: string): Promise<Answer> {
  return transact(call, account, 'v1/transaksi/status', { ref_id: reference });
}

async function transact(call: SupplierCall, account: Account, path: string, request: { ref_id: string }): Promise<Answer> {
  const body = { ...request, member_code: account.memberCode, signature: signReference(account, request.ref_id) };
  const answer = z
    .union([refusalSchema, transactionSchema])
    .parse(readJsonOfSuccess(await postJson(call, `${account.baseUrl}/${path}`, body)));
  if ('error_msg' in answer) return { is: 'refused', message: answer.error_msg };
  refuseForeignAnswer(answer.ref_id, request.ref_id);
  return { is: 'transaction', transaction: answer };
}

export async function readBalance(call: SupplierCall, account: Account): Promise<string> {
  return z.object({ data: z.object({ saldo: lenientDecimal }) }).parse(await get(call, account, 'member')).data.saldo;
}

/** Games and sorts only name items and say whether they are active: one that cannot be read is as if it were not there. */
const entriesSchema = z
  .array(z.object({ id: lenientText, nama: asideText, status: asideText }).nullable().catch(null))
  .nullish()
  .transform((entries) => (entries ?? []).flatMap((entry) => entry ?? []));

const catalogueSchema = z.object({
  data: z.object({ operator: entriesSchema, jenis: entriesSchema, produk: z.array(z.unknown()) }),
});

export type Catalogue = z.infer<typeof catalogueSchema>['data'];

export const itemSchema = z.object({
  kode_produk: lenientText,
  nama: asideText,
  price: lenientDecimal,
  status: lenientText,
  operator_id: asideText,
  jenis_id: asideText,
});

/** Everything it sells, in one answer. */
export async function readCatalogue(call: SupplierCall, account: Account): Promise<Catalogue> {
  return catalogueSchema.parse(await get(call, account, 'member/produk/full')).data;
}

/** A refusal is no answer to these questions. */
async function get(call: SupplierCall, account: Account, path: string): Promise<unknown> {
  const query = { member_code: account.memberCode, signature: signAccount(account) };
  const answer = readJsonOfSuccess(await getWithQuery(call, `${account.baseUrl}/${path}`, query));
  const refusal = refusalSchema.safeParse(answer);
  if (!refusal.success) return answer;
  const words = refusal.data.error_msg;
  throw refusedQuestion(meaningOfRefusal(words, { asked: true }), `Refused: ${words}`);
}
