import { describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../src/lib/clock.ts';
import type { Subject } from './subject.ts';
import { DELIVERED, LATER_MS } from './values.ts';

/** Every answer of the supplier becomes the outcome that it means. */
export function describePurchases(at: Subject): void {
  const { dialect } = at;
  describe('a purchase', () => {
    test('that is delivered ends with its proof of delivery, at the price that was agreed', async () => {
      const outcome = await at.buy(DELIVERED);
      const proof = dialect.proofOf
        ? dialect.proofOf(at.simulator.shop, at.onlyOrder())
        : at.simulator.shop.serialOf(at.onlyOrder());
      expect(outcome).toMatchObject({ kind: 'delivered', serialNumber: proof });
      expect(at.simulator.shop.orders).toHaveLength(1);
      expect(at.onlyOrder()).toMatchObject({ sku: at.item.sku, price: at.item.price });
      if ('charged' in outcome && outcome.charged !== undefined) expect(outcome.charged).toBe(at.item.price);
    });

    test.skipIf(dialect.plays.deliversAtOnceOnly)('that takes a while is pending until it is delivered', async () => {
      at.simulator.shop.fateOf = () => ({ is: 'delivered', afterMs: LATER_MS });
      const bought = at.purchase();
      const placed = await at.supplier.placeOrder(bought);
      expect(placed.kind).toBe('pending');
      expect(await at.follow(bought, placed)).toMatchObject({ kind: 'delivered' });
      expect(at.simulator.shop.orders).toHaveLength(1);
    });

    test('out of stock is a no that another supplier may be asked after', async () => {
      expect(await at.buy({ is: 'rejected', why: 'out_of_stock', afterMs: 0 })).toMatchObject({
        kind: 'rejected',
        retryElsewhere: true,
      });
    });

    test.skipIf(!dialect.plays.refusals.includes('wrong_player'))('for a wrong player is a no for everybody', async () => {
      expect(await at.buy({ is: 'rejected', why: 'wrong_player', afterMs: 0 })).toMatchObject({
        kind: 'rejected',
        retryElsewhere: false,
        code: 'player_rejected',
      });
    });

    test.skipIf(!dialect.plays.refusals.includes('low_balance'))('beyond our balance there stops further orders', async () => {
      expect(await at.buy({ is: 'rejected', why: 'low_balance', afterMs: 0 })).toMatchObject({
        kind: 'rejected',
        retryElsewhere: true,
        lowBalance: true,
      });
      expect(at.supplier.isAcceptingOrders()).toBe(false);
      expect(at.supplier.hold).toMatchObject({ kind: 'low_balance' });
    });

    test.skipIf(!dialect.plays.refusals.includes('too_fast'))('that comes too fast may be made again after a while', async () => {
      const outcome = await at.buy({ is: 'rejected', why: 'too_fast', afterMs: 0 });
      expect(outcome).toMatchObject({ kind: 'rejected', retryElsewhere: true });
      expect(outcome).toHaveProperty('retryAfterMs');
    });

    test.skipIf(!dialect.plays.refusals.includes('same_player_again'))(
      'that the same player may not have again today may be had elsewhere',
      async () => {
        expect(await at.buy({ is: 'rejected', why: 'same_player_again', afterMs: 0 })).toMatchObject({
          kind: 'rejected',
          code: 'limit_reached',
        });
      },
    );

    test.skipIf(!dialect.plays.rejectsLater)('that is rejected later is a no', async () => {
      const outcome = await at.buy({ is: 'rejected', why: 'wrong_player', afterMs: LATER_MS });
      expect(['rejected', 'reversed']).toContain(outcome.kind);
    });

    test.skipIf(!dialect.plays.partial)('of which a part was delivered is neither yes nor no', async () => {
      expect(await at.buy({ is: 'partial', afterMs: LATER_MS })).toMatchObject({ kind: 'unclear' });
    });

    test.skipIf(!dialect.plays.reversal)('that is taken back after it was delivered is reported so', async () => {
      at.simulator.shop.fateOf = () => ({ is: 'delivered', afterMs: 0, reversedAfterMs: HOUR_MS });
      const bought = at.purchase();
      const placed = await at.supplier.placeOrder(bought);
      const known = { ...bought, supplierReference: ('supplierReference' in placed && placed.supplierReference) || null };
      await at.clock.advance(HOUR_MS);
      expect(await at.supplier.checkOrder(known)).toMatchObject({ kind: 'reversed' });
    });

    test('in a state that nobody documented is unknown, never a guess', async () => {
      at.simulator.shop.fateOf = () => ({ is: 'strange' });
      const bought = at.purchase();
      const placed = await at.supplier.placeOrder(bought);
      expect(['unknown', 'pending']).toContain(placed.kind);
      await at.clock.advance(LATER_MS);
      const known = { ...bought, supplierReference: ('supplierReference' in placed && placed.supplierReference) || null };
      if (!dialect.plays.deliversAtOnceOnly) expect(await at.supplier.checkOrder(known)).toMatchObject({ kind: 'unknown' });
    });

    test('refused because of our credentials was not made, and puts the supplier on hold', async () => {
      const stranger = at.open(dialect.wrongConfig, at.simulator.wire());
      expect(await stranger.placeOrder(at.purchase())).toMatchObject({ kind: 'misconfigured' });
      expect(stranger.hold).toMatchObject({ kind: 'misconfigured' });
      expect(stranger.isAcceptingOrders()).toBe(false);
      expect(at.simulator.shop.orders).toEqual([]);
    });
  });
}
