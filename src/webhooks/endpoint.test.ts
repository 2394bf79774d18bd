import { expect, test } from 'vitest';
import { after, DAY_MS, HOUR_MS } from '../lib/clock.ts';
import { decideHealth, disable, type Endpoint, enable, type Visit } from './endpoint.ts';

const NOW = new Date('2026-03-01T02:40:15Z');

const endpoint: Endpoint = {
  id: 'a',
  accountId: 'b',
  url: 'https://shop.example/hook',
  types: [],
  status: 'Active',
  disabledReason: null,
  failingSince: null,
  lease: null,
  createdAt: NOW,
  updatedAt: NOW,
};
const visit = (change: Partial<Visit>): Visit => ({ at: NOW, succeeded: false, failed: false, gone: false, ...change });

test('the first failure starts the five days, a success ends them, whatever else failed on that visit', () => {
  const failing = decideHealth(endpoint, visit({ failed: true }));
  expect(failing).toMatchObject({ status: 'Active', failingSince: NOW });
  const later = after(NOW, HOUR_MS);
  expect(decideHealth(failing, visit({ failed: true, at: later })).failingSince).toEqual(NOW);
  expect(decideHealth(failing, visit({ failed: true, succeeded: true, at: later })).failingSince).toBeNull();
});

test('five days of failures disable it, not a moment earlier', () => {
  const failing = { ...endpoint, failingSince: NOW };
  const at = after(NOW, 5 * DAY_MS);
  expect(decideHealth(failing, visit({ failed: true, at: after(at, -1) })).status).toBe('Active');
  expect(decideHealth(failing, visit({ failed: true, at }))).toMatchObject({ status: 'Disabled', disabledReason: 'failing' });
});

test('410 disables it at once', () => {
  expect(decideHealth(endpoint, visit({ failed: true, gone: true, succeeded: true }))).toMatchObject({
    status: 'Disabled',
    disabledReason: 'gone',
  });
});

test('a visit with nothing to send tells nothing', () => {
  const failing = { ...endpoint, failingSince: NOW };
  expect(decideHealth(failing, visit({ at: after(NOW, 6 * DAY_MS) }))).toEqual(failing);
});

test('what the reseller decided meanwhile stays', () => {
  for (const status of ['Disabled', 'Deleted'] as const) {
    const decided = { ...endpoint, status };
    expect(decideHealth(decided, visit({ succeeded: true }))).toEqual(decided);
    expect(decideHealth(decided, visit({ failed: true, gone: true }))).toEqual(decided);
  }
});

test('an endpoint that is enabled again starts with a clean name', () => {
  const disabled = disable({ ...endpoint, failingSince: NOW, lease: 'x' }, 'failing', NOW);
  expect(disabled.lease).toBeNull();
  expect(enable(disabled, NOW)).toMatchObject({ status: 'Active', disabledReason: null, failingSince: null });
});
