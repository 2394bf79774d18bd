import { sign } from '../../src/resellers/signature.ts';
import type { Answer } from './connection.ts';
import { seededRandom, zipf } from './numbers.ts';
import type { Credentials, Requests } from './task.ts';

/** The requests of one run by their numbers, as bytes, and what a right answer to each is. */
export interface RequestSource {
  text(number: number): string;
  isRight(number: number, answer: Answer): boolean;
  /** Everything that the answer must say; more than every single one can be asked. */
  isWhollyRight(number: number, answer: Answer): boolean;
}

export const SERVICE_CODE = 'MLBB-85';
const ZONE = '2001';
/** Few players, so that nicknames come from the cache, as they do for players who come back. */
const PLAYERS = Array.from({ length: 16 }, (_, index) => `12345${String(index).padStart(2, '0')}0001`);

export function openRequests(requests: Requests): RequestSource {
  return requests.kind === 'orders' ? openOrders(requests) : openReads(requests);
}

function openOrders({ resellers, choice, prefix, prepare, replaysOf }: Extract<Requests, { kind: 'orders' }>): RequestSource {
  const chooser = openChoice(resellers.length, choice, prefix);
  const heads = resellers.map(({ token }) => orderHead(token));
  const prepared: string[] = [];
  // Node joins strings when they are read; reading one character now keeps that out of the measured time.
  for (let number = 0; number < prepare; number++) prepared.push(flat(write(number)));

  return {
    text: (number) => prepared[numberOf(number)] ?? write(numberOf(number)),
    isRight: (number, { status, text }) =>
      status === 200 &&
      text.includes('"success":true') &&
      text.includes(`"ref_id":"${prefix}-${numberOf(number)}"`) &&
      text.includes('idempotent-replayed: true') === (replaysOf !== null),
    isWhollyRight(number, { text, bodyAt }) {
      const { data } = JSON.parse(text.slice(bodyAt)) as { data: Record<string, unknown> };
      const player = data['account_identifier'] as { user_id: string; zone: string };
      const isOrder = /^TG[0-9A-Z]{26}$/.test(String(data['order_id'])) && data['service_code'] === SERVICE_CODE;
      return isOrder && player.user_id === playerOf(numberOf(number)) && player.zone === ZONE && data['mode'] === 'live';
    },
  };

  function numberOf(number: number): number {
    return replaysOf === null ? number : number % replaysOf;
  }

  function write(number: number): string {
    const index = chooser(number);
    const reseller = resellers[index];
    if (!reseller) throw new Error('No resellers to order as.');
    return (heads[index] ?? '') + orderBody(reseller, `${prefix}-${number}`, playerOf(number));
  }
}

/** Which reseller places the order of a number: the same in every run with as many resellers. */
function openChoice(count: number, choice: 'even' | 'zipf', prefix: string): (number: number) => number {
  const chosen: number[] = [];
  const random = seededRandom([...prefix].reduce((seed, character) => seed * 31 + character.charCodeAt(0), 7));
  const draw = choice === 'zipf' ? zipf(count, random) : () => Math.floor(random() * count);
  return (number) => {
    while (chosen.length <= number) chosen.push(draw());
    return chosen[number] ?? 0;
  };
}

function playerOf(number: number): string {
  return PLAYERS[number % PLAYERS.length] ?? '';
}

function orderHead(token: string): string {
  return (
    `POST /api/order HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n` +
    'content-type: application/json\r\ncontent-length: '
  );
}

/** The rest of a signed order, as a reseller's own program would send it. Everything is ASCII, so characters are bytes. */
function orderBody(reseller: Credentials, refId: string, userId: string): string {
  const signature = sign({ serviceCode: SERVICE_CODE, refId, userId, zone: ZONE, maxPrice: null }, reseller.secret);
  const body =
    `{"service_code":"${SERVICE_CODE}","ref_id":"${refId}",` +
    `"account_identifier":{"user_id":"${userId}","zone":"${ZONE}"},"signature":"${signature}"}`;
  return `${body.length}\r\n\r\n${body}`;
}

function openReads({ token, paths, etag, status }: Extract<Requests, { kind: 'reads' }>): RequestSource {
  const condition = etag === null ? '' : `if-none-match: ${etag}\r\n`;
  const texts = paths.map((path) =>
    flat(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${condition}\r\n`),
  );
  return {
    text: (number) => texts[number % texts.length] ?? '',
    isRight: (_number, answer) => answer.status === status && (status === 304 || answer.text.startsWith('{"', answer.bodyAt)),
    isWhollyRight: (_number, { text, bodyAt }) => status === 304 || JSON.parse(text.slice(bodyAt)).success === true,
  };
}

function flat(text: string): string {
  text.charCodeAt(text.length - 1);
  return text;
}
