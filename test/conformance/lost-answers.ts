import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import type { Fault } from '../simulators/simulator.ts';
import type { Subject } from './subject.ts';
import { GARBAGE, NO_FAULT } from './values.ts';

/** Nothing is concluded from what is no answer. */
export function describeLostAnswers(at: Subject): void {
  const { kind, dialect } = at;
  const { capabilities: can } = kind;
  describe('without an answer', () => {
    const faults: [string, Fault, boolean][] = [
      ['whose answer is lost', { is: 'lost_answer' }, true],
      ['answered with an error page after it was made', { is: 'error_page', status: 502, done: true }, true],
      ['answered with bytes that mean nothing', { is: 'garbage', body: '<html>' }, true],
      ['that never reached the supplier', { is: 'lost_request' }, false],
      ['answered with an error page before it was made', { is: 'error_page', status: 500, done: false }, false],
    ];

    test.each(faults)('a purchase %s is unknown', async (_name, fault) => {
      at.play(fault);
      expect(await at.supplier.placeOrder(at.purchase())).toMatchObject({ kind: 'unknown' });
    });

    test.each(faults.filter(([, , isMade]) => isMade))(
      'a purchase %s is found again by asking, and was made once',
      async (_name, fault) => {
        const bought = at.purchase();
        at.play(fault);
        await at.supplier.placeOrder(bought);
        at.play(NO_FAULT);
        const outcome = await at.supplier.checkOrder(bought);
        // Without a reference of ours nobody but a person can tell which purchase it was.
        if (can.lookup) expect(outcome).toMatchObject({ kind: 'delivered' });
        else expect(['unknown', 'unclear']).toContain(outcome.kind);
        expect(at.simulator.shop.orders).toHaveLength(1);
      },
    );

    describe.each([500, 502, 503])('under the status %i, whatever else it says,', (status) => {
      const fault: Fault = { is: 'server_fault', status };

      test.each(dialect.plays.refusals)('a no because of %s is unknown, to an order and to a question', async (why) => {
        at.simulator.shop.fateOf = () => ({ is: 'rejected', why, afterMs: 0 });
        const isToldBefore = dialect.isPreparation !== undefined && why === 'wrong_player';
        at.play(fault);
        const placed = await at.supplier.placeOrder(at.purchase());
        expect(placed).toMatchObject(isToldBefore ? { kind: 'rejected' } : { kind: 'unknown' });
        expect(await at.supplier.checkOrder(at.purchase({ supplierReference: 'SIM1' }))).toMatchObject({ kind: 'unknown' });
        expect(at.supplier.hold).toBeNull();
      });

      test('a refusal of our credentials is unknown, and no reason for a hold', async () => {
        const stranger = at.open(dialect.wrongConfig, at.simulator.wire());
        at.play(fault);
        if (!dialect.isPreparation) expect(await stranger.placeOrder(at.purchase())).toMatchObject({ kind: 'unknown' });
        expect(await stranger.checkOrder(at.purchase({ supplierReference: 'SIM1' }))).toMatchObject({ kind: 'unknown' });
        if (!dialect.isPreparation) expect(stranger.hold).toBeNull();
      });

      test('a yes is unknown until the purchase is asked about', async () => {
        const bought = at.purchase();
        at.play(fault);
        expect(await at.supplier.placeOrder(bought)).toMatchObject({ kind: 'unknown' });
        expect(await at.supplier.checkOrder(bought)).toMatchObject({ kind: 'unknown' });
        at.play(NO_FAULT);
        if (can.lookup) expect(await at.supplier.checkOrder(bought)).toMatchObject({ kind: 'delivered' });
        expect(at.simulator.shop.orders).toHaveLength(1);
      });
    });

    test('a purchase that never reached the supplier is told from one that did only as far as the kind declares', async () => {
      const bought = at.purchase();
      at.play({ is: 'lost_request' });
      await at.supplier.placeOrder(bought);
      at.play(NO_FAULT);
      const outcome = await at.supplier.checkOrder(bought);
      if (can.checkMayBuy) {
        expect(outcome).toMatchObject({ kind: 'delivered' });
        expect(at.simulator.shop.orders).toHaveLength(1);
      } else {
        expect(can.trustworthyNotFound ? ['not_found'] : ['not_found', 'unknown', 'unclear']).toContain(outcome.kind);
        expect(at.simulator.shop.orders).toEqual([]);
      }
    });

    test('a connection that was never made is known not to have sent anything', async () => {
      at.simulator.faultOf = () => ({ is: 'refused' });
      expect(await at.supplier.placeOrder(at.purchase())).toMatchObject({ kind: 'not_sent' });
    });

    test.skipIf(!dialect.isPreparation).each(faults)(
      'a purchase whose preparation went like one %s was certainly not made, and waits',
      async (_name, fault) => {
        at.simulator.faultOf = (request) => (dialect.isPreparation?.(request) ? fault : NO_FAULT);
        expect(await at.supplier.placeOrder(at.purchase())).toMatchObject({ kind: 'not_sent' });
        expect(at.simulator.shop.orders).toEqual([]);
      },
    );

    test('an answer that comes too late is unknown', async () => {
      at.play({ is: 'slow', delayMs: DAY_MS });
      const placing = at.supplier.placeOrder(at.purchase());
      // Its time limit begins to run only with its turn.
      await at.clock.advance(0);
      await at.clock.advance(kind.limits.placeLimitMs);
      expect(await placing).toMatchObject({ kind: 'unknown' });
    });

    test.skipIf(!can.safeResend)('a purchase that is sent twice is made once', async () => {
      const bought = at.purchase();
      at.play({ is: 'lost_answer' });
      await at.supplier.placeOrder(bought);
      at.play(NO_FAULT);
      await at.supplier.placeOrder({ ...bought, sends: 2 });
      expect(at.simulator.shop.orders).toHaveLength(1);
    });

    test.each(GARBAGE)('an answer of %j means nothing, to an order and to a question', async (body) => {
      at.play({ is: 'garbage', body });
      expect((await at.supplier.placeOrder(at.purchase())).kind).toBe('unknown');
      expect((await at.supplier.checkOrder(at.purchase({ supplierReference: 'SIM1' }))).kind).toBe('unknown');
    });

    test("no JSON that is not the supplier's own ever delivers, rejects or takes back", async () => {
      await fc.assert(
        fc.asyncProperty(fc.json({ maxDepth: 3 }), async (body) => {
          at.play({ is: 'garbage', body });
          const answers = [await at.supplier.placeOrder(at.purchase()), await at.supplier.checkOrder(at.purchase())];
          for (const { kind: outcome } of answers) expect(['delivered', 'rejected', 'reversed']).not.toContain(outcome);
        }),
        { numRuns: 50 },
      );
    });
  });
}
