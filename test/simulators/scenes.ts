import { type Clock, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import type { SimulatorRequest } from './dialect.ts';
import type { Fate, ShopRequest } from './shop.ts';
import type { Fault } from './simulator.ts';

const LATER_MS = 3 * SECOND_MS;

/** What a simulator that is run by hand plays, chosen by the last four characters of the player's id or zone, as the supplier gets them. */
export const SCENES: Record<string, { plays: string; fate?: Fate; fault?: Fault }> = {
  '0002': { plays: 'pending, delivered after 3 s', fate: { is: 'delivered', afterMs: LATER_MS } },
  '0003': { plays: 'pending, rejected after 3 s', fate: { is: 'rejected', why: 'wrong_player', afterMs: LATER_MS } },
  '0004': { plays: 'wrong player', fate: { is: 'rejected', why: 'wrong_player', afterMs: 0 } },
  '0006': { plays: 'out of stock', fate: { is: 'rejected', why: 'out_of_stock', afterMs: 0 } },
  '0007': { plays: 'takes the order, its answer is lost once', fault: { is: 'lost_answer' } },
  '0009': { plays: 'pending for ever', fate: { is: 'never' } },
  '0010': {
    plays: 'delivered, taken back after a minute',
    fate: { is: 'delivered', afterMs: 0, reversedAfterMs: MINUTE_MS },
  },
  '0011': { plays: 'the first request never arrives', fault: { is: 'lost_request' } },
  '0012': { plays: 'answers after 10 s, once', fault: { is: 'slow', delayMs: 10 * SECOND_MS } },
  '0013': { plays: 'a part is delivered after 3 s', fate: { is: 'partial', afterMs: LATER_MS } },
  '0014': { plays: 'a state that nobody documented', fate: { is: 'strange' } },
  '0015': { plays: 'error page, once; nothing was bought', fault: { is: 'error_page', status: 502, done: false } },
  '0016': { plays: 'error page, once, after it was bought', fault: { is: 'error_page', status: 502, done: true } },
  '0017': { plays: 'bytes that mean nothing, once, after it was bought', fault: { is: 'garbage', body: '<html>' } },
  '0018': { plays: 'our balance is too low', fate: { is: 'rejected', why: 'low_balance', afterMs: 0 } },
  '0019': { plays: 'too fast', fate: { is: 'rejected', why: 'too_fast', afterMs: 0 } },
  '0020': { plays: 'not for the same player again', fate: { is: 'rejected', why: 'same_player_again', afterMs: 0 } },
  '0021': {
    plays: 'out of stock, told as a fault of the server (HTTP 502), once',
    fate: { is: 'rejected', why: 'out_of_stock', afterMs: 0 },
    fault: { is: 'server_fault', status: 502 },
  },
  '0022': {
    plays: 'a part is delivered after 3 s, and all of it is rejected a minute later',
    fate: { is: 'partial', afterMs: LATER_MS, end: { is: 'rejected', afterMs: MINUTE_MS } },
  },
  '0023': {
    plays: 'a part is delivered after 3 s, and the rest a minute later',
    fate: { is: 'partial', afterMs: LATER_MS, end: { is: 'delivered', afterMs: MINUTE_MS } },
  },
};

export function fateByScene({ account }: ShopRequest): Fate {
  const parts = account.split(/[^\p{Letter}\p{Number}]+/u);
  const fate = parts.map((part) => SCENES[part.slice(-4)]?.fate).find((known) => known !== undefined);
  return fate ?? { is: 'delivered', afterMs: 0 };
}

/** Refuses orders that come sooner after the last one than the supplier wants, whatever their account plays. */
export function refuseTooFast(
  fateOf: (request: ShopRequest) => Fate,
  clock: Clock,
  gapMs: number,
): (request: ShopRequest) => Fate {
  let last: Date | null = null;
  return (request) => {
    const now = clock.now();
    if (last !== null && now.getTime() - last.getTime() < gapMs) return { is: 'rejected', why: 'too_fast', afterMs: 0 };
    last = now;
    return fateOf(request);
  };
}

/** Each fault happens once to an account: with the first request that names it. */
export function createFaultsByScene(): (request: SimulatorRequest) => Fault {
  const happened = new Set<string>();
  return (request) => {
    const accounts = `${request.query} ${request.body}`.match(/\d*00\d\d(?!\d)/g) ?? [];
    const account = accounts.find((candidate) => SCENES[candidate.slice(-4)]?.fault && !happened.has(candidate));
    if (account === undefined) return { is: 'none' };
    happened.add(account);
    return SCENES[account.slice(-4)]?.fault ?? { is: 'none' };
  };
}
