import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { type Clock, formatTime } from '../../lib/clock.ts';
import { asideText, lenientDecimal, lenientText } from '../lenient.ts';
import { md5 } from '../proof.ts';
import { readJson, type SupplierCall } from '../wire.ts';

export interface Account {
  baseUrl: string;
  apiKey: string;
  region: string;
  clock: Clock;
}

/** Times carry an offset; which one is ours to choose. */
const TIME_ZONE = 'Asia/Jakarta';

/** Lower-case hex of HMAC-SHA256, with the key that also names the client, over method, path, MD5 of the body, and time. */
export function sign(apiKey: string, { path, body, time }: { path: string; body: string; time: string }): string {
  return createHmac('sha256', apiKey)
    .update(`POST:${path}:${md5(body)}:${time}`)
    .digest('hex');
}

const moneySchema = z.object({ currency: lenientText, value: lenientDecimal });

export type Money = z.infer<typeof moneySchema>;

/** The body of `checkout`. What is sent again must be the same, so everything in it comes from the attempt. */
export interface Checkout {
  variantCode: string;
  referenceNumber: string;
  qty: number;
  price: { currency: string; value: number };
  inputs: { name: string; value: string }[];
}

const orderSchema = z.object({
  invoiceNumber: lenientText,
  referenceNumber: lenientText,
  statusCode: lenientText,
  statusDesc: asideText,
  totalAmount: moneySchema.nullish().catch(null),
  voucher: lenientText.nullish(),
});

export type BangjeffOrder = z.infer<typeof orderSchema>;

export const variantSchema = z.object({ code: lenientText, name: asideText, status: lenientText, price: moneySchema });

/** The shape of the balance is in no document: a number or money, alone or under `balance`. */
const amountSchema = moneySchema.or(lenientDecimal.transform((value) => ({ currency: null, value })));
const balanceSchema = amountSchema.or(z.object({ balance: amountSchema }).transform(({ balance }) => balance));

/** What every answer is: what was asked for, or a refusal by its code and words; of the latter, one may be missing. */
export type Answer<Data> = { refused: false; data: Data } | { refused: true; rc: string; message: string };

const envelopeSchema = z.object({
  rc: lenientText.default(''),
  message: lenientText.default(''),
  data: z.unknown().optional(),
});

export function checkout(call: SupplierCall, account: Account, order: Checkout): Promise<Answer<BangjeffOrder>> {
  return post(call, account, 'checkout', { region: account.region, ...order }, orderOf(order.referenceNumber));
}

export function getOrder(call: SupplierCall, account: Account, referenceNumber: string): Promise<Answer<BangjeffOrder>> {
  return post(call, account, 'order/reference-number', { referenceNumber }, orderOf(referenceNumber));
}

export function getVariants(call: SupplierCall, account: Account, productCode: string): Promise<Answer<unknown[]>> {
  return post(call, account, 'variant', { region: account.region, productCode }, z.array(z.unknown()));
}

export function getBalance(call: SupplierCall, account: Account): Promise<Answer<{ currency: string | null; value: string }>> {
  return post(call, account, 'balance', { region: account.region }, balanceSchema);
}

/** An order under another reference would be an answer to somebody else's question. */
function orderOf(referenceNumber: string) {
  return orderSchema.refine((order) => order.referenceNumber === referenceNumber, 'is another order than the one asked about');
}

async function post<Data>(
  call: SupplierCall,
  { baseUrl, apiKey, clock }: Account,
  path: string,
  fields: object,
  schema: z.ZodType<Data>,
): Promise<Answer<Data>> {
  const url = `${baseUrl}/api/v4/${path}`;
  const body = JSON.stringify(fields);
  const time = formatTime(clock.now(), TIME_ZONE);
  const answer = await call.send({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'x-client-id': apiKey,
      'x-request-time': time,
      'x-signature': sign(apiKey, { path: new URL(url).pathname.slice(1), body, time }),
    },
    body,
  });
  const { rc, message, data } = envelopeSchema.parse(readJson(answer));
  return rc === '00' ? { refused: false, data: schema.parse(data) } : { refused: true, rc, message };
}
