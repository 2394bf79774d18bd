import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { type Clock, SECOND_MS } from '../../lib/clock.ts';
import { asideDecimal, asideText, lenientDecimal, lenientText } from '../lenient.ts';
import { readJson, type SupplierCall } from '../wire.ts';
import type { Refusal } from './map.ts';

export interface Account {
  baseUrl: string;
  partnerId: string;
  secretKey: string;
  clock: Clock;
}

/** Lower-case hex of HMAC-SHA256 over partner, time and path, nothing between. The path has no slash in front. */
export function sign(
  { partnerId, secretKey }: Pick<Account, 'partnerId' | 'secretKey'>,
  timestamp: string,
  path: string,
): string {
  return createHmac('sha256', secretKey).update(`${partnerId}${timestamp}${path}`).digest('hex');
}

/** What every answer is: what was asked for, or a refusal. */
export type Answer<Data> = { refused: false; data: Data } | ({ refused: true } & Refusal);

const UNAUTHORISED: readonly number[] = [401, 403];

const successSchema = z.object({ status: lenientText.refine((status) => status === '1') });

const refusalSchema = z
  .object({
    status: lenientText,
    reason: lenientText.optional(),
    error: z.object({ code: lenientText.optional(), message: lenientText }).optional(),
  })
  .transform(({ status, reason, error }) => ({
    status,
    reason: reason ?? (error && `${error.code ?? ''} ${error.message}`.trim()) ?? '',
  }))
  .refine(({ reason }) => reason !== '', 'has no reason');

const gameListSchema = z.object({ game_list: z.array(z.object({ game_code: lenientText, game_status: asideText })) });

const gameSchema = z.object({ game: z.object({ name: asideText }), denominations: z.array(z.unknown()) });

export const denominationSchema = z.object({
  id: lenientText,
  name: asideText,
  currency: lenientText,
  amount: lenientDecimal,
});

const validationSchema = z.object({ validation_token: lenientText, username: z.string().nullish() });

const orderSchema = z.object({
  reference_no: lenientText.nullish(),
  transaction_number: lenientText,
  amount: asideDecimal,
  currency: asideText,
});

export type UnipinOrder = z.infer<typeof orderSchema>;

export interface OrderRequest {
  game_code: string;
  validation_token: string;
  reference_no: string;
  denomination_id: string | number;
}

export function validatePlayer(
  call: SupplierCall,
  account: Account,
  player: { game_code: string; fields: Record<string, string> },
): Promise<Answer<z.infer<typeof validationSchema>>> {
  return post(call, account, 'user/validate', player, validationSchema);
}

export function createOrder(call: SupplierCall, account: Account, order: OrderRequest): Promise<Answer<UnipinOrder>> {
  return post(call, account, 'order/create', order, orderOf(order.reference_no));
}

export function inquireOrder(call: SupplierCall, account: Account, referenceNo: string): Promise<Answer<UnipinOrder>> {
  return post(call, account, 'order/inquiry', { reference_no: referenceNo }, orderOf(referenceNo));
}

export function listGames(call: SupplierCall, account: Account): Promise<Answer<z.infer<typeof gameListSchema>>> {
  return post(call, account, 'list', {}, gameListSchema);
}

export function getGame(call: SupplierCall, account: Account, gameCode: string): Promise<Answer<z.infer<typeof gameSchema>>> {
  return post(call, account, 'detail', { game_code: gameCode }, gameSchema);
}

/** An order under another reference would be an answer to somebody else's question. */
function orderOf(referenceNo: string) {
  return orderSchema.refine(
    ({ reference_no: told }) => !told || told === referenceNo,
    'is another order than the one asked about',
  );
}

async function post<Data>(
  call: SupplierCall,
  account: Account,
  name: string,
  body: object,
  schema: z.ZodType<Data>,
): Promise<Answer<Data>> {
  const path = `in-game-topup/${name}`;
  const timestamp = String(Math.floor(account.clock.now().getTime() / SECOND_MS));
  const answer = await call.send({
    method: 'POST',
    url: `${account.baseUrl}/${path}`,
    headers: {
      'content-type': 'application/json',
      partnerid: account.partnerId,
      timestamp,
      path,
      auth: sign(account, timestamp, path),
    },
    body: JSON.stringify(body),
  });
  // Often a page for people instead of an answer, so it is not read.
  if (UNAUTHORISED.includes(answer.status)) return { refused: true, status: '', reason: `HTTP ${answer.status}`, isOurs: true };
  const told = readJson(answer);
  if (successSchema.safeParse(told).success) return { refused: false, data: schema.parse(told) };
  return { refused: true, ...refusalSchema.parse(told), isOurs: false };
}
