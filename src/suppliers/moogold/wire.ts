import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { type Clock, SECOND_MS } from '../../lib/clock.ts';
import { asideDecimal, asideText, lenientDecimal, lenientText } from '../lenient.ts';
import { readJson, type SupplierCall } from '../wire.ts';

export interface Account {
  baseUrl: string;
  partnerId: string;
  secretKey: string;
  /** False where MooGold leaves `partnerOrderId` out of what it verifies. */
  signsPartnerOrderId: boolean;
  clock: Clock;
}

/** Lower-case hex of HMAC-SHA256 over the body, the timestamp and the path, nothing between. */
export function sign(secretKey: string, parts: { body: string; timestamp: string; path: string }): string {
  return createHmac('sha256', secretKey).update(`${parts.body}${parts.timestamp}${parts.path}`, 'utf8').digest('hex');
}

/** A body: MooGold wants its path in it, too. */
interface Payload {
  path: string;
  partnerOrderId?: string;
  [field: string]: unknown;
}

/** The headers of a call. What was signed is what leaves, but for the partner's order id where MooGold wants it so. */
export function headersOf(
  { partnerId, secretKey, signsPartnerOrderId }: Omit<Account, 'baseUrl' | 'clock'>,
  { payload, timestamp }: { payload: Payload; timestamp: string },
): Record<string, string> {
  const { partnerOrderId: _left, ...rest } = payload;
  const body = JSON.stringify(signsPartnerOrderId ? payload : rest);
  return {
    'content-type': 'application/json',
    authorization: `Basic ${Buffer.from(`${partnerId}:${secretKey}`).toString('base64')}`,
    timestamp,
    auth: sign(secretKey, { body, timestamp, path: payload.path }),
  };
}

/** What every answer is: what was asked for, or an error of theirs. Errors of WordPress and of Cloudflare are neither. */
export type Answer<Data> = { refused: false; data: Data } | { refused: true; code: string; message: string };

const refusalSchema = z
  .object({ err_code: lenientText, err_message: lenientText.default('') })
  .transform(({ err_code, err_message }) => ({ refused: true as const, code: err_code, message: err_message }));

/** The new order's id stands in the account's details, or beside them. */
const createdSchema = z
  .object({
    status: lenientText.refine((status) => status !== 'false', 'is not a success'),
    order_id: lenientText.optional(),
    account_details: z.object({ order_id: lenientText.optional() }).optional().catch(undefined),
  })
  .transform(({ order_id, account_details }) => ({ orderId: account_details?.order_id ?? order_id ?? '' }))
  .refine(({ orderId }) => orderId !== '', 'has no order id');

const itemSchema = z.object({ voucher_code: z.unknown() }).catch({ voucher_code: null });

/** Whatever stands in `item`, it is no reason not to read the state. */
const detailSchema = z
  .object({
    order_id: lenientText,
    order_status: lenientText,
    partner_order_id: lenientText.nullish(),
    total: asideDecimal,
    item: z.unknown().optional(),
  })
  .transform(({ item, ...order }) => ({ ...order, codes: itemsOf(item).flatMap(readCodes) }));

/** A list of items, or one alone. */
function itemsOf(item: unknown): unknown[] {
  const isOne = typeof item === 'object' && item !== null && 'voucher_code' in item;
  return isOne ? [item] : partsOf(item);
}

/** The codes of one item, each as text or as an object of its parts, number and PIN for instance. */
function readCodes(item: unknown): string[] {
  const codes = partsOf(itemSchema.parse(item).voucher_code);
  const texts = codes.map((code) => partsOf(code).flatMap((part) => lenientText.safeParse(part).data ?? []));
  return texts.map((parts) => parts.join(' ').trim()).filter((text) => text !== '');
}

/** The parts of a list, which PHP writes as an object where its numbering has gaps. A value alone is a list of one. */
function partsOf(value: unknown): unknown[] {
  if (typeof value === 'object' && value !== null) return Object.values(value);
  return value === undefined ? [] : [value];
}

export type OrderDetail = z.infer<typeof detailSchema>;

const productSchema = z.object({ Product_Name: asideText, Variation: z.array(z.unknown()) });

export const variationSchema = z.object({
  variation_name: asideText,
  variation_id: lenientText,
  variation_price: lenientDecimal,
  stock_status: lenientText.default('instock'),
});

export type Product = z.infer<typeof productSchema>;

const balanceSchema = z.object({ currency: lenientText, balance: lenientDecimal });

const validationSchema = z.object({
  status: z.enum(['true', 'false']).or(z.boolean().transform(String)),
  message: lenientText.default(''),
  username: z.string().nullish(),
});

export interface CreateOrder {
  data: Record<string, string>;
  partnerOrderId: string;
}

export function createOrder(call: SupplierCall, account: Account, order: CreateOrder): Promise<Answer<{ orderId: string }>> {
  return post(call, account, { path: 'order/create_order', ...order }, createdSchema);
}

/** `orderId`: their name for it, where we have been told one. It tells the order where the answer leaves out our own. */
export function getOrderDetail(
  call: SupplierCall,
  account: Account,
  { partnerOrderId, orderId }: { partnerOrderId: string; orderId: string | null },
): Promise<Answer<OrderDetail>> {
  const schema = detailSchema.refine(
    ({ partner_order_id: told, order_id }) => (told ? told === partnerOrderId : orderId === null || order_id === orderId),
    'is another order than the one asked about',
  );
  return post(call, account, { path: 'order/order_detail_partner_id', partner_order_id: partnerOrderId }, schema);
}

export function getBalance(call: SupplierCall, account: Account): Promise<Answer<z.infer<typeof balanceSchema>>> {
  return post(call, account, { path: 'user/balance' }, balanceSchema);
}

export function getProduct(call: SupplierCall, account: Account, productId: string): Promise<Answer<Product>> {
  return post(call, account, { path: 'product/product_detail', product_id: productId }, productSchema);
}

export function validatePlayer(
  call: SupplierCall,
  account: Account,
  data: Record<string, string>,
): Promise<Answer<z.infer<typeof validationSchema>>> {
  return post(call, account, { path: 'product/validate', data }, validationSchema);
}

async function post<Data>(
  call: SupplierCall,
  account: Account,
  payload: Payload,
  schema: z.ZodType<Data>,
): Promise<Answer<Data>> {
  const timestamp = String(Math.floor(account.clock.now().getTime() / SECOND_MS));
  const answer = await call.send({
    method: 'POST',
    url: `${account.baseUrl}/${payload.path}`,
    headers: headersOf(account, { payload, timestamp }),
    body: JSON.stringify(payload),
  });
  const body = readJson(answer);
  const refusal = refusalSchema.safeParse(body);
  return refusal.success ? refusal.data : { refused: false, data: schema.parse(body) };
}
