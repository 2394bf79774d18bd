import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { after, DAY_MS, HOUR_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { fillTemplate } from '../../src/suppliers/account-template.ts';
import { type Connection, connect } from '../../src/suppliers/connection.ts';
import { createWire } from '../../src/suppliers/http-wire.ts';
import type { ObservedCall } from '../../src/suppliers/observed-call.ts';
import { createRedactor } from '../../src/suppliers/redact.ts';
import { checkConfig, fieldsOf, fillConfig, readSettings } from '../../src/suppliers/settings.ts';
import type { Purchase, SupplierKind } from '../../src/suppliers/supplier.ts';
import type { Wire } from '../../src/suppliers/wire.ts';
import type { Dialect } from '../simulators/dialect.ts';
import type { Fate, ShopOrder } from '../simulators/shop.ts';
import { type Fault, Simulator } from '../simulators/simulator.ts';
import { FakeClock, TEST_START } from '../support/fake-clock.ts';

const BASE_URL = 'https://supplier.example';
const PLAYER = { userId: '12345678', zone: '2001' };
const ADAPTERS = path.join(import.meta.dirname, '..', '..', 'src', 'suppliers');
const README_HEADINGS = ['## Set-up', '## What is where', '## Sources', '## What is not certain'];
const NO_FAULT: Fault = { is: 'none' };
const DELIVERED: Fate = { is: 'delivered', afterMs: 0 };
const LATER_MS = 60 * SECOND_MS;

/** An answer that is no answer: nothing may be concluded from any of these. */
const GARBAGE = [
  '',
  'null',
  '[]',
  '{}',
  '"ok"',
  '42',
  '{"data":null}',
  '{"data":[]}',
  '<html></html>',
  '{"status":',
  '\u0000\u0001',
];

/**
 * What every adapter owes to the core, whatever its supplier. Each test says in its name what the author of a new adapter has
 * still to do. The supplier at the other end is a simulator that speaks its dialect and keeps a book of what it delivered.
 */
export function describeConformance(kind: SupplierKind, dialect: Dialect): void {
  describe(`the adapter ${kind.kind}`, () => {
    let clock: FakeClock;
    let simulator: Simulator;
    let seen: ObservedCall[];
    let supplier: Connection;
    const { capabilities: can } = kind;
    // These tests call as often as they like, on a clock that stands still.
    const unhurried: SupplierKind = { ...kind, limits: { ...kind.limits, circuit: null, perSecond: null } };
    const item = dialect.items.find(({ available }) => available) ?? dialect.items[0];
    if (!item) throw new Error('A dialect has at least one item that is available.');

    const open = (config: Record<string, string>, wire: Wire): Connection => {
      const whole = { base_url: BASE_URL, ...config };
      const secrets = fieldsOf(kind).flatMap(({ key, secret }) => (secret ? [whole[key as keyof typeof whole] ?? ''] : []));
      return connect({
        code: kind.kind,
        kind: unhurried,
        settings: readSettings(unhurried, whole),
        supplier: kind.create({ code: kind.kind, config: fillConfig(kind, whole), clock }),
        status: 'Active',
        hold: null,
        wire,
        redact: createRedactor(secrets),
        observe: (call) => seen.push(call),
        clock,
        log: silentLog,
      });
    };

    beforeEach(() => {
      clock = new FakeClock();
      seen = [];
      simulator = new Simulator(dialect, { clock, fateOf: () => DELIVERED });
      supplier = open(dialect.config, simulator.wire());
    });

    const purchase = (changes: Partial<Purchase> = {}): Purchase => ({
      reference: `TG${newId(TEST_START).replaceAll('-', '').slice(0, 26).toUpperCase()}-1`,
      supplierReference: null,
      sku: item.sku,
      ...PLAYER,
      accountText: kind.accountTemplate === null ? null : fillTemplate(kind.accountTemplate, PLAYER),
      cost: item.price,
      sends: 1,
      createdAt: clock.now(),
      ...changes,
    });

    /** Asks about a purchase until it has an end, as the dispatcher does. */
    const follow = async (bought: Purchase, first: { kind: string; supplierReference?: string }) => {
      let known = { ...bought, supplierReference: first.supplierReference ?? null };
      for (let look = 0; look < 20; look += 1) {
        await clock.advance(LATER_MS);
        const outcome = await supplier.checkOrder(known);
        if (outcome.kind !== 'pending') return outcome;
        known = { ...known, supplierReference: outcome.supplierReference ?? known.supplierReference };
      }
      throw new Error('The purchase has no end.');
    };

    /** Sends a purchase and follows it to its end. */
    const buy = async (fate: Fate) => {
      simulator.shop.fateOf = () => fate;
      const bought = purchase();
      const placed = await supplier.placeOrder(bought);
      return placed.kind === 'pending' ? follow(bought, placed) : placed;
    };

    /** Lets something go wrong with everything but requests before the one that buys: whatever becomes of those is certain. */
    const play = (fault: Fault) => {
      simulator.faultOf = (request) => (dialect.isPreparation?.(request) ? NO_FAULT : fault);
    };

    const onlyOrder = (): ShopOrder => {
      const [order] = simulator.shop.orders;
      if (!order) throw new Error('The supplier took nothing.');
      return order;
    };

    describe('says of itself', () => {
      test('its fields, with base_url and its credentials as secrets', () => {
        expect(kind.fields.map(({ key }) => key)).toContain('base_url');
        expect(kind.fields.some(({ secret }) => secret)).toBe(true);
        expect(checkConfig(kind, { base_url: BASE_URL, ...dialect.config }, true)).toEqual([]);
        expect(kind.fields.every(({ label }) => label.length > 0)).toBe(true);
      });

      test('limits that have an end', () => {
        const { limits } = kind;
        for (const limit of [limits.concurrency, limits.placeLimitMs, limits.checkLimitMs, limits.lookupLimitMs]) {
          expect(limit).toBeGreaterThan(0);
          expect(limit).toBeLessThanOrEqual(120 * SECOND_MS);
        }
        expect(limits.lookAgainAfterMs.length).toBeGreaterThan(2);
        expect(Math.max(...limits.lookAgainAfterMs)).toBeLessThanOrEqual(6 * HOUR_MS);
        expect(limits.reviewAfterMs).toBeLessThanOrEqual(3 * DAY_MS);
        expect(limits.circuit).not.toBeNull();
      });

      test('exactly what it can do', () => {
        const adapter = kind.create({ code: 'x', config: fillConfig(kind, { base_url: BASE_URL, ...dialect.config }), clock });
        expect({
          nickname: adapter.lookupNickname !== undefined,
          balance: adapter.balance !== undefined,
          priceList: adapter.listServices !== undefined,
          callback: adapter.readCallback !== undefined,
        }).toEqual({ nickname: can.nickname, balance: can.balance, priceList: can.priceList, callback: can.callback });
      });

      test('in a README: set-up, where what stands, sources, and what is not certain', () => {
        const text = fs.readFileSync(path.join(ADAPTERS, kind.kind, 'README.md'), 'utf8');
        for (const heading of README_HEADINGS) expect(text).toContain(`\n${heading}\n`);
      });
    });

    describe('a purchase', () => {
      test('that is delivered ends with its proof of delivery, at the price that was agreed', async () => {
        const outcome = await buy(DELIVERED);
        const proof = dialect.proofOf ? dialect.proofOf(simulator.shop, onlyOrder()) : simulator.shop.serialOf(onlyOrder());
        expect(outcome).toMatchObject({ kind: 'delivered', serialNumber: proof });
        expect(simulator.shop.orders).toHaveLength(1);
        expect(onlyOrder()).toMatchObject({ sku: item.sku, price: item.price });
        if ('charged' in outcome && outcome.charged !== undefined) expect(outcome.charged).toBe(item.price);
      });

      test.skipIf(dialect.plays.deliversAtOnceOnly)('that takes a while is pending until it is delivered', async () => {
        simulator.shop.fateOf = () => ({ is: 'delivered', afterMs: LATER_MS });
        const bought = purchase();
        const placed = await supplier.placeOrder(bought);
        expect(placed.kind).toBe('pending');
        expect(await follow(bought, placed)).toMatchObject({ kind: 'delivered' });
        expect(simulator.shop.orders).toHaveLength(1);
      });

      test('out of stock is a no that another supplier may be asked after', async () => {
        expect(await buy({ is: 'rejected', why: 'out_of_stock', afterMs: 0 })).toMatchObject({
          kind: 'rejected',
          retryElsewhere: true,
        });
      });

      test.skipIf(!dialect.plays.refusals.includes('wrong_player'))('for a wrong player is a no for everybody', async () => {
        expect(await buy({ is: 'rejected', why: 'wrong_player', afterMs: 0 })).toMatchObject({
          kind: 'rejected',
          retryElsewhere: false,
          code: 'player_rejected',
        });
      });

      test.skipIf(!dialect.plays.refusals.includes('low_balance'))('beyond our balance there stops further orders', async () => {
        expect(await buy({ is: 'rejected', why: 'low_balance', afterMs: 0 })).toMatchObject({
          kind: 'rejected',
          retryElsewhere: true,
          lowBalance: true,
        });
        expect(supplier.isAcceptingOrders()).toBe(false);
        expect(supplier.hold).toMatchObject({ kind: 'low_balance' });
      });

      test.skipIf(!dialect.plays.refusals.includes('too_fast'))(
        'that comes too fast may be made again after a while',
        async () => {
          const outcome = await buy({ is: 'rejected', why: 'too_fast', afterMs: 0 });
          expect(outcome).toMatchObject({ kind: 'rejected', retryElsewhere: true });
          expect(outcome).toHaveProperty('retryAfterMs');
        },
      );

      test.skipIf(!dialect.plays.refusals.includes('same_player_again'))(
        'that the same player may not have again today may be had elsewhere',
        async () => {
          expect(await buy({ is: 'rejected', why: 'same_player_again', afterMs: 0 })).toMatchObject({
            kind: 'rejected',
            code: 'limit_reached',
          });
        },
      );

      test.skipIf(!dialect.plays.rejectsLater)('that is rejected later is a no', async () => {
        const outcome = await buy({ is: 'rejected', why: 'wrong_player', afterMs: LATER_MS });
        expect(['rejected', 'reversed']).toContain(outcome.kind);
      });

      test.skipIf(!dialect.plays.partial)('of which a part was delivered is neither yes nor no', async () => {
        expect(await buy({ is: 'partial', afterMs: LATER_MS })).toMatchObject({ kind: 'unclear' });
      });

      test.skipIf(!dialect.plays.reversal)('that is taken back after it was delivered is reported so', async () => {
        simulator.shop.fateOf = () => ({ is: 'delivered', afterMs: 0, reversedAfterMs: HOUR_MS });
        const bought = purchase();
        const placed = await supplier.placeOrder(bought);
        const known = { ...bought, supplierReference: ('supplierReference' in placed && placed.supplierReference) || null };
        await clock.advance(HOUR_MS);
        expect(await supplier.checkOrder(known)).toMatchObject({ kind: 'reversed' });
      });

      test('in a state that nobody documented is unknown, never a guess', async () => {
        simulator.shop.fateOf = () => ({ is: 'strange' });
        const bought = purchase();
        const placed = await supplier.placeOrder(bought);
        expect(['unknown', 'pending']).toContain(placed.kind);
        await clock.advance(LATER_MS);
        const known = { ...bought, supplierReference: ('supplierReference' in placed && placed.supplierReference) || null };
        if (!dialect.plays.deliversAtOnceOnly) expect(await supplier.checkOrder(known)).toMatchObject({ kind: 'unknown' });
      });

      test('refused because of our credentials was not made, and puts the supplier on hold', async () => {
        const stranger = open(dialect.wrongConfig, simulator.wire());
        expect(await stranger.placeOrder(purchase())).toMatchObject({ kind: 'misconfigured' });
        expect(stranger.hold).toMatchObject({ kind: 'misconfigured' });
        expect(stranger.isAcceptingOrders()).toBe(false);
        expect(simulator.shop.orders).toEqual([]);
      });
    });

    describe('without an answer', () => {
      const faults: [string, Fault, boolean][] = [
        ['whose answer is lost', { is: 'lost_answer' }, true],
        ['answered with an error page after it was made', { is: 'error_page', status: 502, done: true }, true],
        ['answered with bytes that mean nothing', { is: 'garbage', body: '<html>' }, true],
        ['that never reached the supplier', { is: 'lost_request' }, false],
        ['answered with an error page before it was made', { is: 'error_page', status: 500, done: false }, false],
      ];

      test.each(faults)('a purchase %s is unknown', async (_name, fault) => {
        play(fault);
        expect(await supplier.placeOrder(purchase())).toMatchObject({ kind: 'unknown' });
      });

      test.each(faults.filter(([, , isMade]) => isMade))(
        'a purchase %s is found again by asking, and was made once',
        async (_name, fault) => {
          const bought = purchase();
          play(fault);
          await supplier.placeOrder(bought);
          play(NO_FAULT);
          const outcome = await supplier.checkOrder(bought);
          // Without a reference of ours nobody but a person can tell which purchase it was.
          if (can.lookup) expect(outcome).toMatchObject({ kind: 'delivered' });
          else expect(['unknown', 'unclear']).toContain(outcome.kind);
          expect(simulator.shop.orders).toHaveLength(1);
        },
      );

      test('a purchase that never reached the supplier is told from one that did only as far as the kind declares', async () => {
        const bought = purchase();
        play({ is: 'lost_request' });
        await supplier.placeOrder(bought);
        play(NO_FAULT);
        const outcome = await supplier.checkOrder(bought);
        if (can.checkMayBuy) {
          expect(outcome).toMatchObject({ kind: 'delivered' });
          expect(simulator.shop.orders).toHaveLength(1);
        } else {
          expect(can.trustworthyNotFound ? ['not_found'] : ['not_found', 'unknown', 'unclear']).toContain(outcome.kind);
          expect(simulator.shop.orders).toEqual([]);
        }
      });

      test('a connection that was never made is known not to have sent anything', async () => {
        simulator.faultOf = () => ({ is: 'refused' });
        expect(await supplier.placeOrder(purchase())).toEqual({ kind: 'not_sent' });
      });

      test.skipIf(!dialect.isPreparation).each(faults)(
        'a purchase whose preparation went like one %s was certainly not made, and may be made again or elsewhere',
        async (_name, fault) => {
          simulator.faultOf = (request) => (dialect.isPreparation?.(request) ? fault : NO_FAULT);
          expect(await supplier.placeOrder(purchase())).toMatchObject({ kind: 'rejected', retryElsewhere: true });
          expect(simulator.shop.orders).toEqual([]);
        },
      );

      test('an answer that comes too late is unknown', async () => {
        play({ is: 'slow', delayMs: DAY_MS });
        const placing = supplier.placeOrder(purchase());
        // Its time limit begins to run only with its turn.
        await clock.advance(0);
        await clock.advance(kind.limits.placeLimitMs);
        expect(await placing).toMatchObject({ kind: 'unknown' });
      });

      test.skipIf(!can.safeResend)('a purchase that is sent twice is made once', async () => {
        const bought = purchase();
        play({ is: 'lost_answer' });
        await supplier.placeOrder(bought);
        play(NO_FAULT);
        await supplier.placeOrder({ ...bought, sends: 2 });
        expect(simulator.shop.orders).toHaveLength(1);
      });

      test.each(GARBAGE)('an answer of %j means nothing, to an order and to a question', async (body) => {
        play({ is: 'garbage', body });
        expect((await supplier.placeOrder(purchase())).kind).toBe('unknown');
        expect((await supplier.checkOrder(purchase({ supplierReference: 'SIM1' }))).kind).toBe('unknown');
      });

      test("no JSON that is not the supplier's own ever delivers, rejects or takes back", async () => {
        await fc.assert(
          fc.asyncProperty(fc.json({ maxDepth: 3 }), async (body) => {
            play({ is: 'garbage', body });
            const answers = [await supplier.placeOrder(purchase()), await supplier.checkOrder(purchase())];
            for (const { kind: outcome } of answers) expect(['delivered', 'rejected', 'reversed']).not.toContain(outcome);
          }),
          { numRuns: 50 },
        );
      });
    });

    test('what is kept of exchanges shows everything but the secrets', async () => {
      await buy({ is: 'delivered', afterMs: LATER_MS });
      const kept = JSON.stringify(seen);
      expect(seen.flatMap(({ exchanges }) => exchanges).length).toBeGreaterThan(0);
      expect(kept).toContain(item.sku.split(':').at(-1));
      for (const { key, secret } of kind.fields) {
        const value = dialect.config[key];
        if (secret && value) expect(kept).not.toContain(value);
      }
    });

    describe.skipIf(!can.callback)('a callback', () => {
      const message = () => {
        simulator.shop.take({ reference: 'TGX-1', sku: item.sku, account: PLAYER.userId });
        return onlyOrder();
      };
      const adapter = () =>
        kind.create({ code: 'x', config: fillConfig(kind, { base_url: BASE_URL, ...dialect.config }), clock });

      test('of the supplier names the purchase, by our reference or by its own', () => {
        const order = message();
        const sent = dialect.callback?.(simulator.shop, order);
        if (!sent) throw new Error('The dialect of a kind with callbacks sends some.');
        const reading = adapter().readCallback?.(sent);
        expect(reading).toMatchObject({ kind: 'hint' });
        if (reading?.kind === 'hint')
          expect([reading.reference === 'TGX-1', reading.supplierReference === order.id]).toContain(true);
      });

      test.skipIf(!dialect.forgedCallback)('of somebody without the secret is refused', () => {
        const forged = dialect.forgedCallback?.(simulator.shop, message());
        if (forged) expect(adapter().readCallback?.(forged)).toMatchObject({ kind: 'forged' });
      });

      test('that means nothing moves nothing', () => {
        for (const body of GARBAGE) {
          const sent = dialect.callback?.(simulator.shop, simulator.shop.orders[0] ?? message());
          if (!sent) continue;
          expect(adapter().readCallback?.({ ...sent, rawBody: Buffer.from(body) })?.kind).not.toBe('hint');
        }
      });

      test.skipIf(!dialect.ping)('that only tests the address is taken for that', () => {
        const ping = dialect.ping?.();
        if (ping) expect(adapter().readCallback?.(ping)).toEqual({ kind: 'ping' });
      });
    });

    test.skipIf(!can.priceList)('the price list has every item with what it costs us, and whether it can be had', async () => {
      const list = await supplier.listServices(dialect.items.map(({ sku }) => sku));
      if (list.kind !== 'known') throw new Error(JSON.stringify(list));
      const told = dialect.items.map(({ sku }) => list.services.find((service) => service.sku === sku));
      expect(told).toMatchObject(dialect.items.map(({ sku, price, available }) => ({ sku, cost: price, available })));
    });

    test.skipIf(!can.balance)('our balance is told in whole units, and a refusal is not a balance of zero', async () => {
      expect(await supplier.readBalance()).toEqual({ kind: 'known', balance: simulator.shop.balance });
      expect((await open(dialect.wrongConfig, simulator.wire()).readBalance()).kind).toBe('unknown');
    });

    describe.skipIf(!can.nickname)('the nickname', () => {
      test('of a player is found, of nobody is not, and is unavailable when the supplier does not answer', async () => {
        const { players } = dialect;
        if (!players) throw new Error('The dialect of a kind with a lookup knows players.');
        expect(await supplier.lookupNickname(players.known)).toEqual({ kind: 'found', nickname: players.nickname });
        expect(await supplier.lookupNickname(players.unknown)).toEqual({ kind: 'not_found' });
        for (const body of GARBAGE) {
          simulator.faultOf = () => ({ is: 'garbage', body });
          expect(await supplier.lookupNickname(players.known)).toMatchObject({ kind: 'unavailable' });
        }
      });

      test('in a game that the supplier has no lookup for is unavailable, not unknown', async () => {
        const outcome = await supplier.lookupNickname({ productCode: 'NOSUCHGAME', ...PLAYER });
        expect(outcome).toMatchObject({ kind: 'unavailable' });
      });
    });

    describe('over the network', () => {
      let served: Awaited<ReturnType<Simulator['listen']>>;
      const wire = createWire({ proxyUrl: null, version: 'test' });
      beforeEach(async () => {
        served = await simulator.listen();
      });
      afterEach(() => served.close());

      test('it is the same', async () => {
        const remote = open({ ...dialect.config, base_url: served.url }, wire);
        const bought = purchase();
        const placed = await remote.placeOrder(bought);
        expect(['delivered', 'pending']).toContain(placed.kind);
        play({ is: 'lost_answer' });
        expect(await remote.placeOrder(purchase({ createdAt: after(TEST_START, 1) }))).toMatchObject({ kind: 'unknown' });
      });
    });
  });
}
