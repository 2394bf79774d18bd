import { describe, expect, test } from 'vitest';
import { CONTEXT, learn, ORDER, ROUTES, STEP_CONTEXT, sent } from '../../test/support/decisions.ts';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { after, HOUR_MS } from '../lib/clock.ts';
import type { CheckOutcome } from '../suppliers/index.ts';
import { decideStep } from './next-step.ts';
import type { Attempt } from './order.ts';
import { decideOutcome } from './settlement.ts';

describe('an answer', () => {
  test('delivered: Success with its serial number, and nothing left to do', () => {
    const settlement = learn({ kind: 'delivered', serialNumber: 'SN-1' });
    expect(settlement).toMatchObject({
      order: { state: 'Success', serialNumber: 'SN-1', nextActionAt: null },
      attempt: { state: 'Delivered' },
      refund: null,
    });
  });

  test('rejected, worth another try: the next route, at once, no money moved', () => {
    const settlement = learn({ kind: 'rejected', code: 'out_of_stock', retryElsewhere: true });
    expect(settlement).toMatchObject({
      order: { state: 'Process', supplierCode: 'second', nextActionAt: CONTEXT.now },
      attempt: { state: 'Rejected' },
      refund: null,
    });
  });

  test('rejected by the last route: Failed, with the refund in the same breath', () => {
    const first: Attempt = { ...sent(), state: 'Rejected' };
    const second = sent({ ...ORDER, supplierCode: 'second' }, [first]);
    const settlement = decideOutcome(
      ORDER,
      [first, second],
      second,
      { kind: 'rejected', code: 'out_of_stock', retryElsewhere: true },
      CONTEXT,
    );
    expect(settlement).toMatchObject({
      order: { state: 'Failed', failure: { code: 'out_of_stock' }, nextActionAt: null },
      refund: 'refund',
    });
  });

  test('rejected for a fault of the order: Failed, and no other supplier is bothered', () => {
    const settlement = learn({ kind: 'rejected', code: 'player_rejected', retryElsewhere: false });
    expect(settlement).toMatchObject({
      order: { state: 'Failed', failure: { code: 'player_rejected', fixableByPlayer: true } },
      refund: 'refund',
    });
  });

  test.each<CheckOutcome>([{ kind: 'unknown', reason: 'timeout' }, { kind: 'pending' }, { kind: 'unclear', reason: 'partial' }])(
    '$kind: no refund and no other route, only another look',
    (outcome) => {
      const settlement = learn(outcome);
      expect(settlement).toMatchObject({ order: { state: 'Process', supplierCode: 'first' }, refund: null });
      expect(settlement?.order.nextActionAt?.getTime()).toBeGreaterThan(CONTEXT.now.getTime());
    },
  );

  test('unclear goes to an operator at once; unknown and pending when they last too long', () => {
    expect(learn({ kind: 'unclear', reason: 'a part was delivered' })?.order.review?.reason).toBe('a part was delivered');
    expect(learn({ kind: 'unknown', reason: 'timeout' })?.order.review).toBeNull();
    const late = { context: { now: after(TEST_START, HOUR_MS) } };
    expect(learn({ kind: 'unknown', reason: 'timeout' }, late)?.order.review).not.toBeNull();
    expect(learn({ kind: 'pending' }, late)?.order.review).not.toBeNull();
  });

  test('never heard of it: sent again only where the adapter vouches for that answer, and never after it had confirmed', () => {
    expect(learn({ kind: 'not_found' }, { attempt: { state: 'Unknown' } })?.attempt?.state).toBe('Queued');
    expect(
      learn({ kind: 'not_found' }, { attempt: { state: 'Unknown' }, context: { trustworthyNotFound: false } })?.attempt?.state,
    ).toBe('Unknown');
    expect(learn({ kind: 'not_found' }, { attempt: { state: 'Pending' } })?.attempt?.state).toBe('Pending');
    expect(learn({ kind: 'not_found' }, { attempt: { state: 'Unknown', supplierReference: 'T-1' } })?.attempt?.state).toBe(
      'Pending',
    );
  });

  test('what a supplier has confirmed stays confirmed, whatever it cannot answer later: it is never sent again', () => {
    let attempt: Attempt = { ...sent(), state: 'Pending' };
    for (const outcome of [{ kind: 'unknown', reason: 'timeout' }, { kind: 'not_found' }, { kind: 'not_found' }] as const) {
      attempt = learn(outcome, { attempt })?.attempt ?? attempt;
      expect(attempt.state).toBe('Pending');
    }
  });

  test('a purchase of which nothing left counts as not sent', () => {
    const back = learn({ kind: 'not_sent' })?.attempt;
    expect(back).toMatchObject({ state: 'Queued', sends: 0 });
    expect(decideStep(ORDER, [back ?? sent()], STEP_CONTEXT)).toMatchObject({ kind: 'send', attempt: { sends: 1 } });
  });

  test('misconfigured: the next route if there is one, else it waits for the operator, and nothing is refunded', () => {
    const refusal = { kind: 'misconfigured', detail: '45 IP tidak dikenali' } as const;
    expect(learn(refusal)).toMatchObject({ order: { state: 'Process', supplierCode: 'second' }, attempt: { state: 'Rejected' } });
    expect(learn(refusal, { context: { routes: ROUTES.slice(0, 1) } })).toMatchObject({
      order: { state: 'Process', supplierCode: 'first' },
      attempt: { state: 'Queued', message: '45 IP tidak dikenali' },
      refund: null,
    });
  });

  test('what the supplier tells of its reference and its price is kept, and kept when it tells nothing more', () => {
    const told = learn({ kind: 'pending', supplierReference: 'T-1', charged: 95n })?.attempt;
    expect(told).toMatchObject({ supplierReference: 'T-1', charged: 95n });
    expect(learn({ kind: 'pending' }, { attempt: told ?? {} })?.attempt).toMatchObject({
      supplierReference: 'T-1',
      charged: 95n,
    });
  });

  test('delivered at more than the reseller paid: Success, and an operator is told of the loss', () => {
    expect(learn({ kind: 'delivered', serialNumber: 'SN', charged: 100n })?.order.review).toBeNull();
    const settlement = learn({ kind: 'delivered', serialNumber: 'SN', charged: 101n });
    expect(settlement).toMatchObject({ order: { state: 'Success' }, refund: null });
    expect(settlement?.order.review?.reason).toContain('at a loss');
  });

  test('reversed after Success: Refunded, with the reversal in the same breath', () => {
    const settlement = learn(
      { kind: 'reversed' },
      { order: { state: 'Success', serialNumber: 'SN' }, attempt: { state: 'Delivered' } },
    );
    expect(settlement).toMatchObject({
      order: { state: 'Refunded', failure: { code: 'reversed' } },
      attempt: { state: 'Reversed' },
      refund: 'reversal',
    });
  });

  test('a supplier that denies what it had confirmed moves no money: an operator looks', () => {
    const settlement = learn(
      { kind: 'not_found' },
      { order: { state: 'Success', serialNumber: 'SN' }, attempt: { state: 'Delivered' } },
    );
    expect(settlement).toMatchObject({ order: { state: 'Success' }, refund: null });
    expect(settlement?.order.review).not.toBeNull();
  });

  test('a delivery that is confirmed once more takes no flag down', () => {
    const review = { since: TEST_START, reason: 'delivered at a loss' };
    const order = { state: 'Success' as const, serialNumber: 'SN', review };
    const confirmed = learn({ kind: 'delivered', serialNumber: 'SN' }, { order, attempt: { state: 'Delivered' } });
    expect(confirmed?.order.review).toEqual(review);
  });

  test('an order that an operator refunded is asked about further, for a bounded time', () => {
    const refunded = { order: { state: 'Failed' as const, nextActionAt: null }, attempt: { state: 'Unknown' as const } };
    expect(learn({ kind: 'unknown', reason: 'timeout' }, refunded)).toMatchObject({
      order: { state: 'Failed', nextActionAt: expect.any(Date) },
      refund: null,
    });
    const late = { ...refunded, context: { now: after(TEST_START, 4 * 24 * HOUR_MS) } };
    expect(learn({ kind: 'unknown', reason: 'timeout' }, late)).toMatchObject({ order: { nextActionAt: null }, refund: null });
    expect(learn({ kind: 'rejected', code: 'out_of_stock', retryElsewhere: true }, refunded)).toMatchObject({
      order: { state: 'Failed', nextActionAt: null },
      refund: null,
    });
  });

  test('delivered after an operator had refunded: written down and flagged, no money moved', () => {
    const settlement = learn(
      { kind: 'delivered', serialNumber: 'SN' },
      { order: { state: 'Failed' }, attempt: { state: 'Unknown' } },
    );
    expect(settlement).toMatchObject({ order: { state: 'Failed' }, attempt: { state: 'Delivered' }, refund: null });
    expect(settlement?.order.review).not.toBeNull();
  });

  test('about an attempt that has ended, nothing is learnt any more', () => {
    expect(learn({ kind: 'delivered', serialNumber: 'SN' }, { attempt: { state: 'Reversed' } })).toBeNull();
    expect(learn({ kind: 'pending' }, { attempt: { state: 'Rejected' } })).toBeNull();
  });

  test("a delivery in part is never decided by the program: a later no is an operator's, a later delivery ends it", () => {
    const partly = learn({ kind: 'unclear', reason: 'a part was delivered', partial: true });
    expect(partly).toMatchObject({ attempt: { isPartial: true }, refund: null });
    const fields = { attempt: partly?.attempt ?? {}, order: partly?.order ?? {} };
    for (const no of [{ kind: 'rejected', code: 'out_of_stock', retryElsewhere: true } as const, { kind: 'reversed' } as const]) {
      const settlement = learn(no, fields);
      expect(settlement).toMatchObject({ order: { state: 'Process', supplierCode: 'first' }, refund: null });
      expect(settlement?.order.review?.reason).toContain(`now answers "${no.kind}"`);
    }
    expect(learn({ kind: 'not_found' }, fields)?.attempt?.state).not.toBe('Queued');
    expect(learn({ kind: 'delivered', serialNumber: 'SN' }, fields)?.order).toMatchObject({ state: 'Success', review: null });
  });

  test('a delivery that had counted as rejected is shown to an operator: somebody has paid for it', () => {
    const settlement = learn(
      { kind: 'delivered', serialNumber: 'SN' },
      { order: { state: 'Failed' }, attempt: { state: 'Rejected' } },
    );
    expect(settlement).toMatchObject({ order: { state: 'Failed' }, attempt: null, refund: null });
    expect(settlement?.order.review?.reason).toContain('counted as rejected');
  });

  test('whoever delivered by hand is told when the supplier delivers as well', () => {
    const byHand = { order: { state: 'Success' as const, serialNumber: 'HAND' }, attempt: { state: 'Unknown' as const } };
    expect(learn({ kind: 'pending' }, byHand)).toMatchObject({ order: { state: 'Success', nextActionAt: expect.any(Date) } });
    const settlement = learn({ kind: 'delivered', serialNumber: 'SN' }, byHand);
    expect(settlement).toMatchObject({ order: { state: 'Success', serialNumber: 'HAND' }, attempt: { state: 'Delivered' } });
    expect(settlement?.order.review?.reason).toContain('by other means');
  });

  test('an order that has ended is asked about for three days at most', () => {
    const delivered = { order: { state: 'Success' as const }, attempt: { state: 'Delivered' as const } };
    const late = { ...delivered, context: { now: after(TEST_START, 73 * HOUR_MS) } };
    expect(learn({ kind: 'pending' }, delivered)?.order.nextActionAt).not.toBeNull();
    expect(learn({ kind: 'pending' }, late)?.order.nextActionAt).toBeNull();
  });
});
