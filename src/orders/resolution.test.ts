import { expect, test } from 'vitest';
import { ORDER, sent } from '../../test/support/decisions.ts';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import type { Attempt } from './order.ts';
import { decideResolution } from './resolution.ts';

const NOW = new Date(TEST_START.getTime() + MINUTE_MS);
const ABSENT: Attempt = { ...sent(), state: 'Queued' };

test.each([
  { outcome: 'Success' as const, byOtherMeans: true },
  { outcome: 'Success' as const, byOtherMeans: false },
  { outcome: 'Failed' as const, byOtherMeans: false },
])('what was sent stays open after $outcome (by other means: $byOtherMeans), although the supplier did not have it', (ended) => {
  const decision = decideResolution(ORDER, [ABSENT], { ...ended, serialNumber: null, operator: 'ann' }, NOW);
  if (decision.kind !== 'resolved') throw new Error('it is possible');
  expect(decision.settlement.attempt?.state).toBe('Queued');
  expect(decision.settlement.order.nextActionAt).not.toBeNull();
});

test('what was never sent is closed when an operator has delivered the order', () => {
  const delivered = { outcome: 'Success' as const, serialNumber: 'SN', operator: 'ann' };
  const decision = decideResolution(ORDER, [{ ...ABSENT, sends: 0 }], delivered, NOW);
  if (decision.kind !== 'resolved') throw new Error('it is possible');
  expect(decision.settlement.attempt?.state).toBe('Rejected');
  expect(decision.settlement.order.nextActionAt).toBeNull();
});
