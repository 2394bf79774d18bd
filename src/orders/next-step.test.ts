import { describe, expect, test } from 'vitest';
import { ORDER, STEP_CONTEXT, sent } from '../../test/support/decisions.ts';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { after, HOUR_MS } from '../lib/clock.ts';
import type { Route } from '../routing/index.ts';
import { decideStep, type TargetState } from './next-step.ts';
import type { Attempt } from './order.ts';
import { decideWait } from './settlement.ts';

describe('the next step', () => {
  test("a new order is sent to its first route, under a reference of its own and in the supplier's notation", () => {
    const attempt = sent();
    expect(attempt).toMatchObject({ number: 1, supplierCode: 'first', state: 'Sending', sends: 1, accountText: '12345678|2001' });
    expect(attempt.reference).toMatch(/^TG[0-9A-Z]{26}-1$/);
  });

  test.each(['Sending', 'Pending', 'Unknown'] as const)('an attempt that is %s is asked about, never sent again', (state) => {
    const step = decideStep(ORDER, [{ ...sent(), state }], STEP_CONTEXT);
    expect(step).toMatchObject({ kind: 'check', attempt: { number: 1, checks: 1, sends: 1 } });
  });

  test('an attempt that is known not to be at the supplier is sent again under the same reference', () => {
    const attempt = sent();
    const step = decideStep(ORDER, [{ ...attempt, state: 'Queued' }], STEP_CONTEXT);
    expect(step).toMatchObject({ kind: 'send', attempt: { number: 1, reference: attempt.reference, sends: 2 } });
  });

  test('a supplier that takes no orders is passed over: the order is handed to the worker of the next one', () => {
    const step = decideStep(ORDER, [], { ...STEP_CONTEXT, isAcceptingOrders: (code) => code === 'second' });
    expect(step).toEqual({ kind: 'wait', until: TEST_START, supplierCode: 'second' });
    const handedOver = decideStep({ ...ORDER, supplierCode: 'second' }, [], {
      ...STEP_CONTEXT,
      isAcceptingOrders: (code) => code === 'second',
    });
    expect(handedOver).toMatchObject({ kind: 'send', attempt: { supplierCode: 'second' } });
  });

  test('when nobody takes orders it waits, and after an hour gives up, as nothing has been sent', () => {
    const nobody = { ...STEP_CONTEXT, isAcceptingOrders: () => false };
    expect(decideStep(ORDER, [], nobody).kind).toBe('wait');
    expect(decideStep(ORDER, [], { ...nobody, now: after(TEST_START, HOUR_MS) })).toEqual({
      kind: 'give_up',
      code: 'temporarily_unavailable',
    });
  });

  test('an order that has ended is never sent, whatever brought it up', () => {
    const ended = { ...ORDER, state: 'Success' as const };
    expect(decideStep(ended, [], STEP_CONTEXT)).toEqual({ kind: 'rest' });
    expect(decideStep(ended, [{ ...sent(), state: 'Queued', sends: 0 }], STEP_CONTEXT)).toEqual({ kind: 'rest' });
    expect(decideStep(ended, [{ ...sent(), state: 'Delivered' }], STEP_CONTEXT).kind).toBe('check');
  });

  test('what was sent is asked about after the end also where the supplier did not have it: it may still have been on its way', () => {
    const refunded = { ...ORDER, state: 'Failed' as const };
    const absent: Attempt = { ...sent(), state: 'Queued' };
    expect(decideStep(refunded, [absent], STEP_CONTEXT).kind).toBe('check');
    expect(decideStep(refunded, [absent], { ...STEP_CONTEXT, checkMayBuy: () => true })).toEqual({ kind: 'rest' });
  });

  test('a purchase that waits for its supplier for an hour is brought before an operator', () => {
    const queued: Attempt = { ...sent(), state: 'Queued' };
    const paused = { ...STEP_CONTEXT, isAcceptingOrders: () => false };
    expect(decideStep(ORDER, [queued], paused)).not.toHaveProperty('reviewReason');
    const step = decideStep(ORDER, [queued], { ...paused, now: after(TEST_START, HOUR_MS) });
    if (step.kind !== 'wait') throw new Error('it waits');
    expect(decideWait(ORDER, step, TEST_START).order.review?.reason).toContain('takes no orders');
  });

  test('an order that has ended is not asked about where asking could buy: what was never confirmed', () => {
    const buying = { ...STEP_CONTEXT, checkMayBuy: () => true };
    const refunded = { ...ORDER, state: 'Failed' as const };
    expect(decideStep(refunded, [{ ...sent(), state: 'Unknown' }], STEP_CONTEXT).kind).toBe('check');
    expect(decideStep(refunded, [{ ...sent(), state: 'Unknown' }], buying)).toEqual({ kind: 'rest' });
    expect(decideStep(refunded, [{ ...sent(), state: 'Pending' }], buying).kind).toBe('check');
    expect(decideStep({ ...ORDER, state: 'Success' }, [{ ...sent(), state: 'Delivered' }], buying).kind).toBe('check');
    expect(decideStep(ORDER, [{ ...sent(), state: 'Unknown' }], buying).kind).toBe('check');
  });

  test('where a supplier takes one purchase at a time for a player, the next waits; what it takes once a day goes elsewhere', () => {
    const stateOf = (first: TargetState, second: TargetState) => (route: Route) =>
      route.supplierCode === 'first' ? first : second;
    const step = (first: TargetState, second: TargetState) =>
      decideStep(ORDER, [], { ...STEP_CONTEXT, targetOf: stateOf(first, second) });
    expect(step('free', 'unlimited')).toMatchObject({ kind: 'send', attempt: { limitedTarget: 'ML85\n12345678\n2001' } });
    expect(step('busy', 'unlimited')).toMatchObject({ kind: 'wait', supplierCode: 'second' });
    expect(step('busy', 'used')).toEqual({ kind: 'wait', until: after(TEST_START, 5_000), supplierCode: 'first' });
    expect(step('used', 'used')).toEqual({ kind: 'give_up', code: 'limit_reached' });
  });

  test('nobody waits for ever behind a purchase for the same player whose end nobody tells', () => {
    const context = { ...STEP_CONTEXT, targetOf: () => 'busy' as const };
    const at = (minutes: number) => ({ ...context, now: after(ORDER.createdAt, minutes * 60_000) });
    expect(decideStep(ORDER, [], at(59)).kind).toBe('wait');
    expect(decideStep(ORDER, [], at(60))).toEqual({ kind: 'give_up', code: 'temporarily_unavailable' });
  });

  test('what one supplier takes no more of today waits for another one that is only resting', () => {
    const stateOf = (route: Route): TargetState => (route.supplierCode === 'first' ? 'used' : 'unlimited');
    const step = decideStep(ORDER, [], { ...STEP_CONTEXT, targetOf: stateOf, isAcceptingOrders: (code) => code === 'first' });
    expect(step.kind).toBe('wait');
  });

  test('a template never expands what a player wrote', () => {
    const order = { ...ORDER, userId: '{zone}' };
    expect(sent(order).accountText).toBe('{zone}|2001');
  });
});
