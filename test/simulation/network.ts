import { MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { parseReference } from '../../src/orders/order.ts';
import { type Wire, type WireAnswer, WireError, type WireRequest } from '../../src/suppliers/wire.ts';
import type { SimulatorAnswer } from '../simulators/dialect.ts';
import type { Fault } from '../simulators/simulator.ts';
import type { Books } from './books.ts';
import { OF_CALL, OF_PURCHASE } from './of-purchase.ts';
import type { WorldProcess } from './process.ts';
import type { Tally } from './tally.ts';
import type { Upstream } from './upstream.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How long a broken connection may go unnoticed. */
const SILENCE_MS = 10 * MINUTE_MS;
/** Nobody takes a request that has been under way for so long for one that is merely slow. */
const LATE_MS = 5 * SECOND_MS;
const HOST_END = '.example';

export function addressOf(code: string): string {
  return `https://${code}${HOST_END}`;
}

/**
 * The way from a process to the suppliers. A request leaves only when its sender is awake. Once it has left it arrives whatever
 * becomes of its sender; its answer reaches a process only while that lives, and later when it was asleep.
 */
export function networkOf(options: {
  process: WorldProcess;
  time: VirtualTime;
  upstreams: ReadonlyMap<string, Upstream>;
  books: Books;
  tally: Tally;
  /** A request about a purchase gets lost or late, or its answer lost. */
  onLost: (reference: string) => void;
  /** A request to buy leaves. */
  onPurchase: (reference: string) => void;
  /** A supplier has refused to sell, and its answer is on its way. */
  onRefusal: (process: WorldProcess, upstream: Upstream, reference: string) => void;
}): Wire {
  const { process, time, upstreams, books, tally, onLost, onPurchase, onRefusal } = options;

  const travel = async (request: WireRequest): Promise<WireAnswer> => {
    const reference = request.headers?.[OF_PURCHASE] ?? null;
    const isPurchase = request.headers?.[OF_CALL] === 'place';
    const { isRepeated, arrive } = books.depart(reference);
    if (reference !== null && isPurchase) onPurchase(reference);
    const url = new URL(request.url);
    const upstream = upstreams.get(url.hostname.slice(0, -HOST_END.length));
    if (!upstream) throw new WireError('No such host', { neverLeft: true });
    const fault = upstream.faultOf();
    if (fault.is !== 'none') tally.met(`supplier: ${fault.is}`);
    const requestMs = upstream.requestMs();
    if (reference !== null && (requestMs > LATE_MS || fault.is === 'lost_request' || fault.is === 'lost_answer'))
      onLost(reference);
    await time.sleep(requestMs, null);
    arrive();
    if (fault.is === 'refused') throw new WireError('Connection refused', { neverLeft: true });
    const before = upstream.shop.orders.length;
    const orderId = reference === null ? undefined : parseReference(reference)?.orderId;
    const away = isRepeated && orderId !== undefined ? upstream.turnsAway(books.underWay(orderId) > 0) : null;
    const answer = answerOf(upstream, request, { url, fault, away });
    for (const order of upstream.shop.orders.slice(before)) books.enter({ upstream, order }, reference);
    if (reference !== null && isPurchase && answer !== null && upstream.shop.orders.length === before)
      onRefusal(process, upstream, reference);
    await process.passPoint('network', false);
    await time.sleep(upstream.answerMs() + (fault.is === 'slow' ? fault.delayMs : 0), null);
    if (answer !== null) return { status: answer.status, text: answer.body };
    if (upstream.hangs()) await time.sleep(SILENCE_MS, null);
    throw new WireError('Connection reset', { neverLeft: false });
  };

  return {
    async send(request, signal) {
      await process.passPoint('network', true);
      await process.depart();
      if (signal.aborted) throw new WireError('Called off', { neverLeft: false });
      return process.reach(travel(request));
    },
    close() {},
  };
}

/** What the supplier does with a request, and what of its answer arrives: null where the connection breaks. */
function answerOf(
  upstream: Upstream,
  request: WireRequest,
  { url, fault, away }: { url: URL; fault: Fault; away: SimulatorAnswer | null },
): SimulatorAnswer | null {
  if (fault.is === 'lost_request') return null;
  if (fault.is === 'error_page' && !fault.done) return { status: fault.status, body: '<html>Bad Gateway</html>' };
  if (away) return away;
  if (upstream.conditions.refusesUs) return { status: 403, body: '{"state":"address"}' };
  const answer = upstream.dialect.answer(upstream.shop, {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
    body: request.body ?? '',
  });
  if (fault.is === 'lost_answer') return null;
  if (fault.is === 'error_page') return { status: fault.status, body: '<html>Bad Gateway</html>' };
  return fault.is === 'garbage' ? { status: 200, body: fault.body } : answer;
}
