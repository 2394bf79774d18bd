import { describe, expect, test } from 'vitest';
import { CONTEXT, learn, ORDER, ROUTES, STEP_CONTEXT, sent } from '../../test/support/decisions.ts';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { after, MINUTE_MS } from '../lib/clock.ts';
import { decideStep } from './next-step.ts';
import { decideNotDelivered, decideReroute } from './not-at-supplier.ts';
import type { Attempt } from './order.ts';
import { decideLateConfirmation, decideOutcome } from './settlement.ts';

const REJECTED = { kind: 'rejected', code: 'player_rejected', retryElsewhere: true } as const;
const MISCONFIGURED = { kind: 'misconfigured', detail: '102 IP' } as const;
const at = (minutes: number) => after(TEST_START, minutes * MINUTE_MS);

/** First sent at the start and never answered, then known not to be there, and sent again. */
function sentAgain(minutes: number, unansweredAt: Date = TEST_START): Attempt {
  const queued: Attempt = { ...sent(), state: 'Queued', underWayAt: null, unansweredAt };
  const step = decideStep(ORDER, [queued], { ...STEP_CONTEXT, now: at(minutes) });
  if (step.kind !== 'send') throw new Error('it is sent again');
  return step.attempt;
}

describe('while an earlier request may still arrive', () => {
  test.each([REJECTED, MISCONFIGURED])('a no to the same purchase settles nothing: $kind', (no) => {
    const again = sentAgain(1);
    const early = learn(no, { attempt: again, context: { request: 'place', now: at(1) } });
    expect(early).toMatchObject({
      order: { state: 'Process', supplierCode: 'first' },
      attempt: { state: 'Unknown' },
      refund: null,
    });
    expect(early?.order.nextActionAt).toEqual(at(10));
    const late = learn(no, { attempt: again, context: { request: 'place', now: at(10) } });
    expect(late).toMatchObject({ order: { supplierCode: 'second' }, attempt: { state: 'Rejected' } });
  });

  test('it is the latest request that counts, not the first', () => {
    const again = sentAgain(21, at(20));
    expect(learn(REJECTED, { attempt: again, context: { request: 'place', now: at(21) } })?.attempt?.state).toBe('Unknown');
  });

  test('a no counts from when its request left: one that a suspended process hears an hour later is as old as that', () => {
    const again = sentAgain(1);
    const heard = learn(REJECTED, { attempt: again, context: { request: 'place', requestedAt: at(1), now: at(70) } });
    expect(heard).toMatchObject({
      order: { state: 'Process', nextActionAt: at(70) },
      attempt: { state: 'Unknown' },
      refund: null,
    });
  });

  test('that it is not there counts from when the question left, too: heard too late, it is asked again and not sent', () => {
    const asked: Partial<Attempt> = { state: 'Unknown', underWayAt: null, unansweredAt: TEST_START };
    const notFound = { kind: 'not_found' } as const;
    expect(learn(notFound, { attempt: asked, context: { now: at(1) } })?.attempt?.state).toBe('Queued');
    expect(learn(notFound, { attempt: asked, context: { requestedAt: at(1), now: at(70) } })).toMatchObject({
      order: { nextActionAt: at(70) },
      attempt: { state: 'Unknown' },
    });
    expect(learn(notFound, { attempt: asked, context: { now: at(11) } })?.attempt?.state).toBe('Queued');
  });

  test('what the supplier answers to a question is what it has written down, unless the question is the order', () => {
    const asked = { state: 'Unknown' as const, checks: 1, underWayAt: null, unansweredAt: TEST_START };
    expect(learn(REJECTED, { attempt: asked })?.attempt?.state).toBe('Rejected');
    expect(learn(REJECTED, { attempt: asked, context: { checkMayBuy: true } })?.attempt?.state).toBe('Unknown');
    expect(
      learn({ ...REJECTED, recorded: true } as const, { attempt: asked, context: { checkMayBuy: true } })?.attempt?.state,
    ).toBe('Rejected');
  });

  test('an operator cannot close the purchase or send the order another way, and is told for how long', () => {
    const queued: Attempt = { ...sent(), state: 'Queued', underWayAt: null, unansweredAt: TEST_START };
    const order = { ...ORDER, lease: null };
    const reroute = (minutes: number) => decideReroute(order, [queued], null, { ...STEP_CONTEXT, now: at(minutes) });
    expect(reroute(7)).toMatchObject({ kind: 'not_possible', why: expect.stringContaining('within 3 minutes') });
    // It was asked when the request could still be on its way: that it was not there then proves nothing.
    expect(reroute(11)).toMatchObject({ kind: 'not_possible', why: expect.stringContaining('recheck') });
    const askedSince: Attempt = { ...queued, updatedAt: at(11) };
    expect(decideReroute(order, [askedSince], null, { ...STEP_CONTEXT, now: at(12) }).kind).toBe('redirected');
    const close = (minutes: number) =>
      decideNotDelivered(order, [queued], { operator: 'ann', reason: 'they say so' }, at(minutes));
    expect(close(7)).toMatchObject({ kind: 'not_possible', why: expect.stringContaining('within 3 minutes') });
    expect(close(10).kind).toBe('redirected');
  });

  test('a request counts as unanswered when nothing came, when its worker died, and not when nothing left', () => {
    const first = sent();
    expect(first).toMatchObject({ underWayAt: TEST_START, unansweredAt: null });
    const unknown = learn({ kind: 'unknown', reason: 'timeout' }, { attempt: first })?.attempt;
    expect(unknown).toMatchObject({ underWayAt: null, unansweredAt: TEST_START });
    const afterDeath = decideStep(ORDER, [first], { ...STEP_CONTEXT, now: at(1) });
    expect(afterDeath).toMatchObject({ kind: 'check', attempt: { underWayAt: null, unansweredAt: TEST_START } });
    const buying = decideStep(ORDER, [first], { ...STEP_CONTEXT, now: at(1), checkMayBuy: () => true });
    expect(buying).toMatchObject({ attempt: { underWayAt: at(1), unansweredAt: TEST_START } });
    for (const answered of [{ kind: 'not_sent' } as const, { kind: 'pending' } as const])
      expect(learn(answered, { attempt: first })?.attempt).toMatchObject({ underWayAt: null, unansweredAt: null });
  });
});

describe('an answer that comes after another request had left', () => {
  const again = sentAgain(1);

  test('"it is there" is kept, so that the purchase is never sent a third time', () => {
    const pending = { kind: 'pending', supplierReference: 'S-1' } as const;
    const kept = decideLateConfirmation(ORDER, again, pending, CONTEXT);
    expect(kept).toMatchObject({ order: ORDER, attempt: { state: 'Pending', supplierReference: 'S-1', underWayAt: at(1) } });
    const no = learn(REJECTED, { attempt: kept?.attempt ?? {}, context: { request: 'place', wasConfirmed: false, now: at(30) } });
    expect(no).toMatchObject({ order: { state: 'Process', supplierCode: 'first' }, attempt: { state: 'Pending' }, refund: null });
  });

  test('has an order looked at again that nobody was going to look at', () => {
    const ended = { ...ORDER, state: 'Failed' as const, nextActionAt: null, lease: null };
    const kept = decideLateConfirmation(ended, again, { kind: 'pending' }, CONTEXT);
    expect(kept).toMatchObject({ order: { state: 'Failed', nextActionAt: expect.any(Date) }, attempt: { state: 'Pending' } });
    expect(decideLateConfirmation(ended, again, REJECTED, CONTEXT)).toBeNull();
  });
});

test('busy: the next route at once; with none left the same one again, after a longer time each time, for an hour', () => {
  const busy = { kind: 'rejected', code: 'temporarily_unavailable', retryElsewhere: true, retryAfterMs: 6_000 } as const;
  expect(learn(busy)?.order).toMatchObject({ supplierCode: 'second', nextActionAt: CONTEXT.now });

  const routes = ROUTES.slice(0, 1);
  const waits: number[] = [];
  let attempts: Attempt[] = [];
  let order = ORDER;
  let now = TEST_START;
  for (; ; now = order.nextActionAt ?? now) {
    const step = decideStep(order, attempts, { ...STEP_CONTEXT, routes, now });
    if (step.kind !== 'send') {
      expect(step).toEqual({ kind: 'give_up', code: 'temporarily_unavailable' });
      break;
    }
    expect(step.attempt).toMatchObject({ number: attempts.length + 1, sends: 1 });
    const context = { ...CONTEXT, routes, now, request: 'place' as const };
    const settlement = decideOutcome(order, [...attempts, step.attempt], step.attempt, busy, context);
    if (!settlement?.attempt) throw new Error('something is learnt');
    attempts = [...attempts, settlement.attempt];
    order = settlement.order;
    waits.push((order.nextActionAt ?? now).getTime() - now.getTime());
  }
  expect(waits.slice(0, 3)).toEqual([6_000, 12_000, 18_000]);
  expect(Math.max(...waits)).toBe(MINUTE_MS);
  expect(now.getTime()).toBeGreaterThanOrEqual(at(60).getTime());
  expect(attempts.length).toBeLessThan(100);
});
