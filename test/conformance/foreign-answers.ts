import { describe, expect, test } from 'vitest';
import type { Fate } from '../simulators/shop.ts';
import type { Subject } from './subject.ts';
import { DELIVERED, LATER_MS, NO_FAULT } from './values.ts';

const ANOTHER_REFERENCE = 'TG00000000000000000000000-1';
const ANOTHER_NUMBER = 777;

/** What is said of somebody else's purchase is not said of ours. */
export function describeForeignAnswers(at: Subject): void {
  const { dialect } = at;
  describe('about another purchase', () => {
    /** Answers from now on are about another one, by whichever names stand in them; tells whether there were any. */
    const exchangeNames = (names: Record<string, string>) => {
      const replaced = { count: 0 };
      at.play({
        is: 'altered',
        answer: (body) =>
          Object.entries(names).reduce((rest, [ours, another]) => {
            if (!rest.includes(ours)) return rest;
            replaced.count += 1;
            return rest.replaceAll(ours, another);
          }, body),
      });
      return replaced;
    };

    const fates: [string, Fate][] = [
      ['a yes', DELIVERED],
      ['a no', { is: 'rejected', why: 'out_of_stock', afterMs: 0 }],
    ];
    test.each(fates)('%s to an order is unknown', async (_name, fate) => {
      at.simulator.shop.fateOf = () => fate;
      const bought = at.purchase();
      const replaced = exchangeNames({ [bought.reference]: ANOTHER_REFERENCE });
      const outcome = await at.supplier.placeOrder(bought);
      // Some answers name nothing that we know already.
      if (replaced.count > 0) expect(outcome).toMatchObject({ kind: 'unknown' });
    });

    const laterFates: [string, Fate][] = [
      ['a yes', DELIVERED],
      ...(dialect.plays.rejectsLater
        ? [['a no', { is: 'rejected', why: 'wrong_player', afterMs: LATER_MS }] satisfies [string, Fate]]
        : []),
    ];
    test.each(laterFates)('%s to a question is unknown', async (_name, fate) => {
      at.simulator.shop.fateOf = () => fate;
      const bought = at.purchase();
      const placed = await at.supplier.placeOrder(bought);
      const known = { ...bought, supplierReference: ('supplierReference' in placed && placed.supplierReference) || null };
      await at.clock.advance(LATER_MS);
      const replaced = exchangeNames({
        [bought.reference]: ANOTHER_REFERENCE,
        [at.onlyOrder().id]: dialect.nameOf?.(ANOTHER_NUMBER) ?? 'SIM00000777',
      });
      expect(await at.supplier.checkOrder(known)).toMatchObject({ kind: 'unknown' });
      expect(replaced.count).toBeGreaterThan(0);
      at.play(NO_FAULT);
      expect(['delivered', 'rejected', 'reversed']).toContain((await at.supplier.checkOrder(known)).kind);
    });
  });
}
