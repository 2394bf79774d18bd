import { beforeAll, expect, test } from 'vitest';
import { digiflazzDialect as digiflazz } from '../simulators/digiflazz.ts';
import { openUpstreams } from '../simulators/upstreams.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { virtualService } from '../support/virtual-service.ts';

/** Where to ask about a purchase is where it was made: a supplier that buys when it is asked would buy from the other account. */
const clock = new FakeClock();
const upstreams = openUpstreams(clock, [digiflazz]);
const { topgate, db, pass, settle } = virtualService({ clock, openWire: upstreams.openWire });
const { shop } = upstreams.of('digiflazz');

const change = (body: object) => topgate().admin('PATCH', '/admin/api/supplier/main', body);
const entries = () =>
  db().selectFrom('audit_log').select('details').where('action', '=', 'supplier.configure').orderBy('id').execute();

beforeAll(async () => {
  const config = { base_url: upstreams.addressOf('digiflazz'), ...digiflazz.config };
  await topgate().admin('POST', '/admin/api/supplier', { code: 'main', kind: 'digiflazz', config });
});

test('an account that nothing was sent to may be any other', async () => {
  expect((await change({ config: { username: 'typed-wrongly' } })).status).toBe(200);
  expect((await change({ config: { username: digiflazz.config['username'] } })).status).toBe(200);
});

test('once orders were sent to an account, another one is another supplier, and the order is bought once', async () => {
  const [item] = digiflazz.items;
  const route = { supplier: 'main', sku: item?.sku, cost: Number(item?.price) };
  expect((await topgate().admin('PUT', '/admin/api/service/MLBB-85/route', [route])).status).toBe(200);
  await pass(1_000);
  shop.fateOf = () => ({ is: 'delivered', afterMs: 60_000 });
  const live = await topgate().reseller({ mode: 'live' });
  await live.buy();
  await settle();
  expect(shop.orders).toHaveLength(1);

  for (const config of [{ username: 'other' }, { base_url: 'https://elsewhere.example' }, { testing: 'no' }]) {
    const { status, body } = await change({ config });
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    expect(body.message).toContain('Add the other account as a supplier of its own and pause this one.');
  }
  await pass(120_000);
  expect(shop.orders).toHaveLength(1);
});

test('what does not say whose account it is can still be changed, and so can the rest when somebody vouches for it', async () => {
  const same = { base_url: `${upstreams.addressOf('digiflazz')}/`, username: digiflazz.config['username'] };
  expect((await change({ config: { ...same, api_key: 'rotated', concurrency: '3' } })).status).toBe(200);
  expect((await change({ config: { username: 'renamed' }, same_account: true })).status).toBe(200);
  expect((await entries()).at(-1)?.details).toMatchObject({ same_account: true });
});
