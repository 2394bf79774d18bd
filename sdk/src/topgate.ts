import type { FinishedOrder } from './contract.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { type AttemptReport, type Fetch, Transport } from './core/transport.ts';
import { Account } from './resources/account.ts';
import { Nicknames, Products, Services } from './resources/catalogue.ts';
import { Events } from './resources/events.ts';
import { type OrderReference, Orders } from './resources/orders.ts';
import { Reference } from './resources/reference.ts';
import { RequestLog } from './resources/request-log.ts';
import { Webhooks } from './resources/webhooks.ts';
import { type WaitOptions, waitForOrder } from './wait-for-order.ts';

export interface TopgateOptions {
  /** Where the service answers, e.g. `https://topgate.example`. */
  baseUrl: string;
  /** `tg_live_…` or `tg_test_…`: says who you are, and which mode all calls are in. */
  token: string;
  /** `tgs_…`, which came with the token. Needed for orders only. */
  signingSecret?: string | undefined;
  /** How long one try may take. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** How long a call may take with all tries and the waits between them. Default: 120,000. */
  deadlineMs?: number | undefined;
  /** How many times a call is sent again where that is safe. Default: 4. */
  maxRetries?: number | undefined;
  /** Called after every try, for logs and metrics. Must not throw. */
  onAttempt?: ((report: AttemptReport) => void) | undefined;
  /** Sends the requests. Default: the runtime's `fetch`. */
  fetch?: Fetch | undefined;
  /** Time and waits, for tests. */
  clock?: Clock | undefined;
}

const TIMEOUT_MS = 30_000;
const DEADLINE_MS = 120_000;
const MAX_RETRIES = 4;
const PRINTABLE = /^[\x21-\x7e]+$/;

/** The whole interface of a reseller. One object per token is enough; it may be used by many at once. */
export class Topgate {
  readonly account: Account;
  readonly products: Products;
  readonly services: Services;
  readonly nicknames: Nicknames;
  readonly orders: Orders;
  readonly events: Events;
  readonly webhooks: Webhooks;
  readonly reference: Reference;
  readonly requestLog: RequestLog;
  readonly #clock: Clock;

  constructor(options: TopgateOptions) {
    const { fetch = globalThis.fetch, signingSecret = null, clock = systemClock } = options;
    const transport = new Transport({
      baseUrl: checkedUrl(options.baseUrl),
      token: checkedToken(options.token),
      // Called as a method of something else, the runtime's own fetch refuses to work in some of them.
      fetch: (url, init) => fetch(url, init),
      clock,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      deadlineMs: options.deadlineMs ?? DEADLINE_MS,
      maxRetries: options.maxRetries ?? MAX_RETRIES,
      onAttempt: options.onAttempt ?? (() => undefined),
    });
    this.account = new Account(transport);
    this.products = new Products(transport);
    this.services = new Services(transport);
    this.nicknames = new Nicknames(transport);
    this.orders = new Orders(transport, signingSecret);
    this.events = new Events(transport);
    this.webhooks = new Webhooks(transport);
    this.reference = new Reference(transport, signingSecret);
    this.requestLog = new RequestLog(transport);
    this.#clock = clock;
  }

  /**
   * Asks for the status, at growing intervals, until the order is delivered or its money went back. When it is still `Process` at
   * the end of the time, an error with the code `order_pending` has the order in its details: the order goes on without us.
   */
  waitForOrder(reference: OrderReference, options: WaitOptions = {}): Promise<FinishedOrder> {
    return waitForOrder(this.orders, this.#clock, reference, options);
  }
}

function checkedUrl(baseUrl: string): string {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch (cause) {
    throw new TypeError(`baseUrl is not an address: ${baseUrl}`, { cause });
  }
  if (
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new TypeError('baseUrl must be an http or https address without credentials, query and fragment.');
  return url.href.replace(/\/+$/, '');
}

/** A token that no header can carry would otherwise look like a broken connection. */
function checkedToken(token: string): string {
  if (!PRINTABLE.test(token)) throw new TypeError('token must be an access token such as tg_test_…');
  return token;
}
