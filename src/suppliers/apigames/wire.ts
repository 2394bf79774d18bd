import { z } from 'zod';
import { refusedQuestion } from '../account-fault.ts';
import { getWithQuery, postJson, readJsonOfSuccess, refuseForeignAnswer } from '../json-call.ts';
import { asideDecimal, asideText, lenientDecimal, lenientText } from '../lenient.ts';
import { md5 } from '../proof.ts';
import type { SupplierCall } from '../wire.ts';
import { meaningOfRefusal } from './map.ts';

export interface Account {
  baseUrl: string;
  merchantId: string;
  secretKey: string;
}

/** For everything about one purchase, callbacks included. The three signatures of APIGames differ in what stands between the parts. */
export function signReference({ merchantId, secretKey }: Account, reference: string): string {
  return md5(`${merchantId}:${secretKey}:${reference}`);
}

/** For questions about the account and for looking up players. */
export function signAccount({ merchantId, secretKey }: Account): string {
  return md5(`${merchantId}${secretKey}`);
}

export interface OrderRequest {
  ref_id: string;
  produk: string;
  tujuan: string;
  server_id: string;
}

const transactionSchema = z.object({
  status: lenientText,
  ref_id: lenientText.nullish(),
  trx_id: asideText,
  sn: asideText,
  message: asideText,
  product_detail: z.object({ price_rp: asideDecimal }).nullish().catch(null),
});

const takenSchema = z.object({ status: z.literal([1, '1']), data: transactionSchema });
const refusedSchema = z.object({ status: z.literal([0, '0']), error_msg: lenientText });
const answerSchema = z.union([takenSchema, refusedSchema]);

export type Transaction = z.infer<typeof transactionSchema>;

/** `refused`: no transaction is told of, only why the request was not taken. The outer `status` is not the order's. */
export type Answer = { is: 'transaction'; transaction: Transaction } | { is: 'refused'; message: string };

/** Buys. Sent again with the same reference it may buy again. */
export function postOrder(call: SupplierCall, account: Account, request: OrderRequest): Promise<Answer> {
  return transact(call, account, 'v2/transaksi', request);
}

export function askStatus(call: SupplierCall, account: Account, reference: string): Promise<Answer> {
  return transact(call, account, 'v2/transaksi/status', { ref_id: reference });
}

async function transact(call: SupplierCall, account: Account, path: string, request: { ref_id: string }): Promise<Answer> {
  const body = { ...request, merchant_id: account.merchantId, signature: signReference(account, request.ref_id) };
  const answer = answerSchema.parse(readJsonOfSuccess(await postJson(call, `${account.baseUrl}/${path}`, body)));
  if ('error_msg' in answer) return { is: 'refused', message: answer.error_msg };
  refuseForeignAnswer(answer.data.ref_id, request.ref_id);
  return { is: 'transaction', transaction: answer.data };
}

export async function readBalance(call: SupplierCall, account: Account): Promise<string> {
  const answer = readJsonOfSuccess(await getWithQuery(call, merchantUrl(account), { signature: signAccount(account) }));
  const refusal = refusedSchema.safeParse(answer);
  if (refusal.success) {
    const words = refusal.data.error_msg;
    throw refusedQuestion(meaningOfRefusal(words), `Refused: ${words}`);
  }
  return z.object({ data: z.object({ saldo: lenientDecimal }) }).parse(answer).data.saldo;
}

const playerSchema = z.object({
  status: z.literal([1, '1']),
  data: z.object({ is_valid: z.boolean(), username: lenientText.nullish() }),
});

/** The player's name; null where the game has no such player, which is told with the same status. */
export async function readNickname(call: SupplierCall, account: Account, game: string, userId: string): Promise<string | null> {
  const url = `${merchantUrl(account)}/cek-username/${encodeURIComponent(game)}`;
  const answer = await getWithQuery(call, url, { user_id: userId, signature: signAccount(account) });
  const { is_valid: isValid, username } = playerSchema.parse(readJsonOfSuccess(answer)).data;
  if (!isValid) return null;
  if (!username) throw new Error('The player is there, and no name was told.');
  return username;
}

function merchantUrl({ baseUrl, merchantId }: Account): string {
  return `${baseUrl}/merchant/${encodeURIComponent(merchantId)}`;
}
