import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONTEXT, ORDER, STEP_CONTEXT } from '../../test/support/decisions.ts';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { after } from '../lib/clock.ts';
import type { CheckOutcome, NotSent } from '../suppliers/index.ts';
import { decideStep } from './next-step.ts';
import { type Attempt, isClosed, isConfirmed, TRANSITIONS } from './order.ts';
import { decideGiveUp, decideOutcome, decideRest, decideWait, type Settlement } from './settlement.ts';

const outcomes: fc.Arbitrary<CheckOutcome | NotSent> = fc.oneof(
  fc.constant({ kind: 'delivered' as const, serialNumber: 'SN' }),
  fc.constant({ kind: 'delivered' as const, serialNumber: 'SN', confirmInMs: 5_000 }),
  fc.constant({ kind: 'pending' as const }),
  fc.record({
    kind: fc.constant('rejected' as const),
    code: fc.constantFrom('out_of_stock' as const, 'player_rejected' as const),
    retryElsewhere: fc.boolean(),
  }),
  fc.constant({ kind: 'unknown' as const, reason: 'timeout' }),
  fc.constant({ kind: 'unclear' as const, reason: 'partial' }),
  fc.constant({ kind: 'not_found' as const }),
  fc.constant({ kind: 'not_sent' as const }),
  fc.constant({ kind: 'misconfigured' as const, detail: 'IP' }),
  fc.constant({ kind: 'rejected' as const, code: 'out_of_stock' as const, retryElsewhere: true, retryAfterMs: 6_000 }),
  fc.constant({ kind: 'reversed' as const }),
);

test('whatever suppliers answer, in whatever order: never two open attempts, never a refund on a guess, never money twice', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(outcomes, fc.boolean()), { maxLength: 30 }), (answers) => {
      let order = ORDER;
      let attempts: Attempt[] = [];
      let refunds = 0;
      for (const [index, [outcome, accepting]] of answers.entries()) {
        if (order.nextActionAt === null) break;
        const now = after(TEST_START, index * 60_000);
        const step = decideStep(order, attempts, { ...STEP_CONTEXT, now, isAcceptingOrders: () => accepting });
        const settlement = follow(step, outcome, now);
        if (settlement === null) continue;
        if (settlement.order.state !== order.state) expect(TRANSITIONS[order.state]).toContain(settlement.order.state);
        const { attempt } = settlement;
        if (attempt) attempts = [...attempts.filter(({ number }) => number !== attempt.number), attempt];
        order = settlement.order;
        if (settlement.refund !== null) {
          refunds += 1;
          expect(attempts.every(isClosed)).toBe(true);
        }
        expect(attempts.filter((one) => !isClosed(one)).length).toBeLessThanOrEqual(1);
        expect(refunds).toBe(order.state === 'Failed' || order.state === 'Refunded' ? 1 : 0);
        if (order.state === 'Process') expect(order.nextActionAt).not.toBeNull();
        if (order.state === 'Success') expect(attempts.filter(({ state }) => state === 'Delivered')).toHaveLength(1);
      }

      function follow(step: ReturnType<typeof decideStep>, outcome: CheckOutcome | NotSent, now: Date): Settlement | null {
        if (step.kind === 'wait') return decideWait(order, step, now);
        if (step.kind === 'rest') return decideRest(order);
        if (step.kind === 'give_up') return decideGiveUp(order, step.code, now);
        // What a check can answer and what a send can are not the same.
        const answer =
          step.kind === 'send' && (outcome.kind === 'not_found' || outcome.kind === 'reversed')
            ? { kind: 'unknown' as const, reason: '' }
            : outcome;
        if (step.kind === 'check' && (answer.kind === 'not_sent' || answer.kind === 'misconfigured')) return null;
        attempts = [...attempts.filter(({ number }) => number !== step.attempt.number), step.attempt];
        const request = step.kind === 'send' ? 'place' : 'check';
        return decideOutcome(order, attempts, step.attempt, answer, {
          ...CONTEXT,
          now,
          request,
          wasConfirmed: isConfirmed(step.attempt),
          requestedAt: now,
        });
      }
    }),
    { numRuns: 500 },
  );
});
