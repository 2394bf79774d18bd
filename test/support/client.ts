import { setImmediate as nextTurn } from 'node:timers/promises';
import { type OrderParams, Topgate } from '../../sdk/src/index.ts';
import { newSecretText } from '../../src/lib/ids.ts';
import type { OrderFields, TestService } from './service.ts';

/** The client library, talking to a service without a port: its requests are handed over as bytes, its answers come back so. */
export function clientOf(raw: TestService['raw'], identity: { token: string; secret: string }): Topgate {
  return new Topgate({
    baseUrl: 'http://topgate.test',
    token: identity.token,
    signingSecret: identity.secret,
    // A test that owns the time sees each try; nobody sleeps.
    maxRetries: 0,
    clock: { now: () => new Date(), sleep: () => nextTurn() },
    async fetch(url, init) {
      const { pathname, search } = new URL(url);
      const { status, headers, body } = await raw({
        method: init.method ?? 'GET',
        url: pathname + search,
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(typeof init.body === 'string' && { payload: init.body }),
      });
      const hasBody = status !== 204 && status !== 304;
      return new Response(hasBody ? JSON.stringify(body) : null, { status, headers: headers as Record<string, string> });
    },
  });
}

/** A fresh, good order, but for what is given. */
export function orderOf(fields: Omit<OrderFields, 'signature'> = {}): OrderParams {
  const { service_code = 'MLBB-85', ref_id = `T-${newSecretText(8)}`, user_id = '123450001', zone = '2001', max_price } = fields;
  return { service_code, ref_id, account_identifier: { user_id, zone }, ...(max_price !== undefined && { max_price }) };
}
