import { expect, test } from 'vitest';
import { SUPPLIER_KINDS } from '../../src/main/supplier-kinds.ts';
import { DIALECTS } from '../simulators/dialects.ts';
import { openUpstreams } from '../simulators/upstreams.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { inTurns } from '../support/pass-time.ts';
import { virtualService } from '../support/virtual-service.ts';

/** An operator who mistyped a key hears of it from the test and the next reading, not from the first customer. */
const clock = new FakeClock();
const upstreams = openUpstreams(clock, DIALECTS);
const { topgate, settle } = virtualService({ clock, openWire: upstreams.openWire });

const show = async (code: string) => (await topgate().admin('GET', `/admin/api/supplier/${code}`)).body.data;
const tryOut = async (code: string) =>
  (await inTurns(clock, settle, topgate().admin('POST', `/admin/api/supplier/${code}/test`))).body.data;

test.each(DIALECTS.map(({ kind, config }) => ({ kind, config })))(
  'a wrong key of $kind is told by the test and holds the supplier; the right one ends that',
  async ({ kind, config }) => {
    const fields = SUPPLIER_KINDS.find((candidate) => candidate.kind === kind)?.fields ?? [];
    const keys = fields.filter(({ secret, required }) => secret && required).map(({ key }) => key);
    const wrong = Object.fromEntries(keys.map((key) => [key, `${config[key]}-mistyped`]));
    const base = { base_url: upstreams.addressOf(kind) };
    await topgate().admin('POST', '/admin/api/supplier', { code: kind, kind, config: { ...base, ...config, ...wrong } });
    expect(await tryOut(kind)).toMatchObject({ ok: false, message: expect.stringContaining('does not accept our account') });
    expect(await show(kind)).toMatchObject({ status: 'Held', hold: { kind: 'misconfigured' }, alerts: [{ kind: 'held' }] });

    const right = Object.fromEntries(keys.map((key) => [key, config[key]]));
    expect((await topgate().admin('PATCH', `/admin/api/supplier/${kind}`, { config: right })).status).toBe(200);
    expect(await tryOut(kind)).toMatchObject({ ok: true });
    expect(await show(kind)).toMatchObject({ status: 'Active', hold: null, alerts: [] });
  },
);

test('a balance in another currency is not called told', async () => {
  await topgate().admin('PATCH', '/admin/api/supplier/moogold', { config: { exchange_rate: '' } });
  expect(await tryOut('moogold')).toMatchObject({
    ok: true,
    balance: null,
    message: expect.stringMatching(/told no balance in our currency, see the setting exchange_rate/),
  });
});

test('where nothing harmless can be asked, the test says that nothing was tried', async () => {
  expect(await tryOut('sandbox')).toEqual({ ok: true, balance: null, message: expect.stringContaining('Nothing was tried') });
});
