import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWire } from '../../src/connections/http-wire.ts';
import { after } from '../../src/lib/clock.ts';
import type { SupplierKind } from '../../src/suppliers/supplier.ts';
import type { Dialect } from '../simulators/dialect.ts';
import type { Simulator } from '../simulators/simulator.ts';
import { TEST_START } from '../support/fake-clock.ts';
import { describeBesides } from './besides.ts';
import { describeChosenWords } from './chosen-words.ts';
import { describeForeignAnswers } from './foreign-answers.ts';
import { describeLostAnswers } from './lost-answers.ts';
import { describePurchases } from './purchases.ts';
import { Subject } from './subject.ts';
import { describeWhatItSays } from './what-it-says.ts';

/**
 * What every adapter owes to the core, whatever its supplier. Each test says in its name what the author of a new adapter has
 * still to do. The supplier at the other end is a simulator that speaks its dialect and keeps a book of what it delivered.
 */
export function describeConformance(kind: SupplierKind, dialect: Dialect): void {
  describe(`the adapter ${kind.kind}`, () => {
    const at = new Subject(kind, dialect);
    beforeEach(() => at.begin());
    describeWhatItSays(at);
    describePurchases(at);
    describeLostAnswers(at);
    describeForeignAnswers(at);
    describeChosenWords(at);
    describeBesides(at);
    describeNetwork(at);
  });
}

function describeNetwork(at: Subject): void {
  const { dialect } = at;
  describe('over the network', () => {
    let served: Awaited<ReturnType<Simulator['listen']>>;
    const wire = createWire({ proxyUrl: null, version: 'test' });
    beforeEach(async () => {
      served = await at.simulator.listen();
    });
    afterEach(() => served.close());

    test('it is the same', async () => {
      const remote = at.open({ ...dialect.config, base_url: served.url }, wire);
      const bought = at.purchase();
      const placed = await remote.placeOrder(bought);
      expect(['delivered', 'pending']).toContain(placed.kind);
      at.play({ is: 'lost_answer' });
      expect(await remote.placeOrder(at.purchase({ createdAt: after(TEST_START, 1) }))).toMatchObject({ kind: 'unknown' });
    });
  });
}
