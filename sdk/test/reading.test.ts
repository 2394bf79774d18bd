import { describe, expect, expectTypeOf, test } from 'vitest';
import { type FinishedOrder, isTopgateError, Topgate, type TopgateEvent } from '../src/index.ts';
import { orderData } from './support/examples.ts';
import { data, faultServer, lost, type Play, refusal, type Seen } from './support/fault-server.ts';
import { InstantClock } from './support/instant-clock.ts';

const server = faultServer();

function open() {
  const clock = new InstantClock();
  return { clock, topgate: new Topgate({ baseUrl: server.url(), token: 'tg_test_x', clock }) };
}

const queryOf = ({ url }: Seen) => Object.fromEntries(new URL(url, 'http://x').searchParams);

function event(sequence: number): TopgateEvent {
  return {
    event_id: `evt_${sequence}`,
    type: 'webhook.test',
    timestamp: '2026-03-01T09:40:15+07:00',
    sequence,
    data: { webhook_id: 'wh_1', message: 'Hello' },
  };
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A feed of events 1 to `newest`, as the service pages through it. */
function feed(newest: () => number): Play {
  return (response, seen) => {
    const { after = '0', limit = '50' } = queryOf(seen);
    const first = Number(after) + 1;
    const last = Math.min(newest(), Number(after) + Number(limit));
    data(Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => event(first + index)))(response, seen);
  };
}

describe('lists', () => {
  const page = (numbers: number[], nextCursor: string | null) =>
    data(numbers, { pagination: { next_cursor: nextCursor, has_more: nextCursor !== null } });

  test('are read over all pages, each asked for when it is reached, with the same filters', async () => {
    server.play(page([1, 2], 'a'), page([3], 'b'), page([], null));
    const from = new Date('2026-03-01T00:00:00Z');
    const seen = await collect(open().topgate.orders.list({ status: 'Failed', limit: 2, from }));
    expect(seen).toEqual([1, 2, 3]);
    const filters = { status: 'Failed', limit: '2', from: '2026-03-01T00:00:00.000Z' };
    expect(server.seen.map(queryOf)).toEqual([filters, { ...filters, cursor: 'a' }, { ...filters, cursor: 'b' }]);
  });

  test('that are left early ask for no more pages', async () => {
    server.play(page([1, 2], 'a'), page([3], null));
    for await (const _ of open().topgate.account.transactions()) break;
    expect(server.seen).toHaveLength(1);
  });

  test('give single pages, and go on from a cursor', async () => {
    server.play(page([1], 'a'), page([2], 'b'), page([3], null));
    const { topgate } = open();
    expect(await topgate.orders.list().page()).toEqual({ data: [1], next_cursor: 'a', has_more: true });
    const rest = await collect(topgate.orders.list({ cursor: 'a' }).pages());
    expect(rest.map((each) => each.data)).toEqual([[2], [3]]);
  });

  test('survive a lost answer in the middle', async () => {
    server.play(page([1], 'a'), lost, page([2], null));
    expect(await collect(open().topgate.requestLog.list())).toEqual([1, 2]);
  });
});

describe('the catalogue', () => {
  test('travels again only if it has changed', async () => {
    const { topgate } = open();
    const tagged =
      (value: unknown, etag: string): Play =>
      (response, seen) => {
        if (seen.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end();
        response.setHeader('etag', etag);
        return data(value)(response, seen);
      };
    server.play(tagged([1], '"a"'), tagged([1], '"a"'), tagged([2], '"b"'), tagged([2], '"b"'));
    const answers = [];
    for (let count = 0; count < 4; count += 1) answers.push(await topgate.services.list({ product_code: 'MLBB' }));
    expect(answers).toEqual([[1], [1], [2], [2]]);
    expect(server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"a"', '"a"', '"b"']);
  });
});

describe('the feed', () => {
  test('is followed from a number on, each event once and in order, until the signal', async () => {
    const { topgate, clock } = open();
    const ending = new AbortController();
    let newest = 450;
    server.play(...Array<Play>(9).fill(feed(() => newest)));
    const seen: number[] = [];
    for await (const { sequence } of topgate.events.follow({ after: 3, signal: ending.signal, pollMs: 700 })) {
      seen.push(sequence);
      if (sequence === 450) newest = 452;
      if (sequence === 452) ending.abort();
    }
    expect(seen).toEqual(Array.from({ length: 449 }, (_, index) => index + 4));
    expect(clock.waits).toEqual([700]);
  });

  test('goes on after an outage where it was', async () => {
    const { topgate, clock } = open();
    server.play(
      feed(() => 1),
      ...Array<Play>(6).fill(lost),
      feed(() => 2),
    );
    const seen: number[] = [];
    for await (const { sequence } of topgate.events.follow()) {
      seen.push(sequence);
      if (sequence === 2) break;
    }
    expect(seen).toEqual([1, 2]);
    expect(clock.waits).toContain(5_000);
  });

  test('begins with the oldest event that is kept, and says when what comes next is gone', async () => {
    const { topgate } = open();
    server.play(data([event(41), event(42)]), refusal(410, 'events_expired'));
    const seen: number[] = [];
    for await (const { sequence } of topgate.events.follow()) {
      seen.push(sequence);
      if (sequence === 42) break;
    }
    expect(seen).toEqual([41, 42]);
    const read = async () => {
      for await (const _ of topgate.events.follow({ after: 7 }));
    };
    await expect(read()).rejects.toMatchObject({ code: 'events_expired', status: 410, retryable: false });
  });

  test('stops at a gap, and at a refusal', async () => {
    const { topgate } = open();
    server.play(data([event(1), event(3)]));
    const read = async () => {
      for await (const _ of topgate.events.follow());
    };
    await expect(read()).rejects.toMatchObject({ code: 'event_gap', details: { expected: 2, received: 3 } });
    server.play(refusal(401, 'unauthenticated'));
    await expect(read()).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  test.each([0, 1, 199, 200, 201, 400, 1_000, 123_456])('of %i events: its end is found in few steps', async (newest) => {
    server.play(...Array<Play>(60).fill(feed(() => newest)));
    expect(await open().topgate.events.lastSequence()).toBe(newest);
    expect(server.seen.length).toBeLessThan(30);
  });
});

describe('waiting for an order', () => {
  test('ends when the order is no longer in Process, at growing intervals', async () => {
    const process = data(orderData());
    server.play(process, process, process, lost, data(orderData({ status: 'Success', serial_number: 'S-1' })));
    const { topgate, clock } = open();
    const order = await topgate.waitForOrder({ ref_id: 'INV-1001' });
    expectTypeOf(order).toEqualTypeOf<FinishedOrder>();
    expectTypeOf(order.status).toEqualTypeOf<'Success' | 'Failed' | 'Refunded'>();
    expect(order.serial_number).toBe('S-1');
    expect(clock.waits.slice(0, 3)).toEqual([500, 750, 1_125]);
    expect(server.seen.map(queryOf)).toEqual(Array(5).fill({ ref_id: 'INV-1001' }));
  });

  test('ends with the time limit, and tells how the order was seen last', async () => {
    server.play(...Array<Play>(99).fill(data(orderData())));
    const { topgate, clock } = open();
    const error = await topgate.waitForOrder({ order_id: 'TG1' }, { timeoutMs: 60_000 }).catch((reason: unknown) => reason);
    if (!isTopgateError(error, 'order_pending')) throw error;
    expect(error.details.order).toEqual(orderData());
    expect(clock.waits.reduce((sum, each) => sum + each)).toBe(60_000);
    expect(Math.max(...clock.waits)).toBe(10_000);
  });

  test('can be ended by the signal', async () => {
    const ending = new AbortController();
    server.play((response, seen) => {
      data(orderData())(response, seen);
      ending.abort();
    });
    await expect(open().topgate.waitForOrder({ ref_id: 'X' }, { signal: ending.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
  });
});
