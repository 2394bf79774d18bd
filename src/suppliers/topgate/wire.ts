import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { asideText, lenientDecimal, lenientText } from '../lenient.ts';
import { readJson, type SupplierCall } from '../wire.ts';

export interface Account {
  baseUrl: string;
  accessToken: string;
  signingSecret: string;
}

/** An order before it is signed. */
export interface OrderRequest {
  service_code: string;
  ref_id: string;
  account_identifier: { user_id: string; zone: string };
  /** Always sent by us; the interface can do without it. */
  max_price?: number;
}

/** Lower-case hex of HMAC-SHA256 over the values, joined by line feeds; `max_price` only if it is sent (guide to signing). */
export function sign(signingSecret: string, { service_code, ref_id, account_identifier, max_price }: OrderRequest): string {
  const values = [service_code, ref_id, account_identifier.user_id, account_identifier.zone];
  if (max_price !== undefined) values.push(String(max_price));
  return createHmac('sha256', signingSecret).update(values.join('\n'), 'utf8').digest('hex');
}

const orderSchema = z.object({
  ref_id: lenientText,
  order_id: lenientText,
  status: lenientText,
  mode: asideText,
  price: lenientDecimal,
  currency: lenientText,
  serial_number: lenientText.nullish(),
  failure: z.object({ code: lenientText, message: lenientText.default('') }).nullish(),
});

export type RemoteOrder = z.infer<typeof orderSchema>;

const accountSchema = z.object({ balance: lenientDecimal, currency: lenientText, mode: asideText });

export const serviceSchema = z.object({
  service_code: lenientText,
  service_name: asideText,
  price: lenientDecimal,
  status: lenientText,
});

const nicknameSchema = z.object({ nickname: z.string().min(1) });

/** What every answer is: the data that was asked for, or an error with its code. */
export type Answer<Data> =
  | { success: true; data: Data }
  /** `paths`: the fields that are wrong, of a malformed request. */
  | { success: false; code: string; message: string; paths: string[] };

const issuesSchema = z.array(z.object({ path: z.string() })).catch([]);

const errorSchema = z
  .object({
    success: z.literal(false),
    message: lenientText.default(''),
    error: z.object({ code: lenientText, issues: issuesSchema.optional() }),
  })
  .transform(({ success, message, error: { code, issues = [] } }) => ({
    success,
    message,
    code,
    paths: issues.map(({ path }) => path),
  }));

export async function postOrder(call: SupplierCall, account: Account, order: OrderRequest): Promise<Answer<RemoteOrder>> {
  const answer = await call.send({
    method: 'POST',
    url: `${account.baseUrl}/api/order`,
    headers: { ...authorized(account), 'content-type': 'application/json' },
    body: JSON.stringify({ ...order, signature: sign(account.signingSecret, order) }),
  });
  return read(orderOf(order.ref_id), readJson(answer));
}

export function getOrder(call: SupplierCall, account: Account, refId: string): Promise<Answer<RemoteOrder>> {
  return get(call, account, 'order/status', { ref_id: refId }, orderOf(refId));
}

export function getAccount(call: SupplierCall, account: Account): Promise<Answer<z.infer<typeof accountSchema>>> {
  return get(call, account, 'account', {}, accountSchema);
}

export function getServices(call: SupplierCall, account: Account): Promise<Answer<unknown[]>> {
  return get(call, account, 'service', {}, z.array(z.unknown()));
}

export function getNickname(
  call: SupplierCall,
  account: Account,
  { game, userId, zone }: { game: string; userId: string; zone: string },
): Promise<Answer<z.infer<typeof nicknameSchema>>> {
  return get(call, account, `nickname/${encodeURIComponent(game)}`, { user_id: userId, zone }, nicknameSchema);
}

/** An order under another reference would be an answer to somebody else's question. */
function orderOf(refId: string) {
  return orderSchema.refine((order) => order.ref_id === refId, 'is another order than the one asked about');
}

async function get<Data>(
  call: SupplierCall,
  account: Account,
  path: string,
  query: Record<string, string>,
  schema: z.ZodType<Data>,
): Promise<Answer<Data>> {
  const search = new URLSearchParams(query).toString();
  const url = `${account.baseUrl}/api/${path}${search && `?${search}`}`;
  return read(schema, readJson(await call.send({ method: 'GET', url, headers: authorized(account) })));
}

function read<Data>(schema: z.ZodType<Data>, body: unknown): Answer<Data> {
  return z.union([z.object({ success: z.literal(true), data: schema }), errorSchema]).parse(body);
}

function authorized({ accessToken }: Account): Record<string, string> {
  return { authorization: `Bearer ${accessToken}` };
}
