import { describe, expect, test } from 'vitest';
import type { Subject } from './subject.ts';
import { GARBAGE, LATER_MS, PLAYER } from './values.ts';

const PRICES = /^(product_|variation_)?price$|^amount$/;
const NAMES = /^(product_|variation_|service_)?name$|^nama$|^product_(description|nominal)$/;

/** Changes every object of an answer that has a price: the entries of a list. */
function changeEntries(body: string, change: (entry: Record<string, unknown>) => Record<string, unknown>[]): string {
  const isEntry = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && Object.keys(value).some((name) => PRICES.test(name));
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.flatMap((entry: unknown) => (isEntry(entry) ? change(entry) : [walk(entry)]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, walk(part)]));
  };
  return JSON.stringify(walk(JSON.parse(body)));
}

function withoutName(entry: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, NAMES.test(name) ? null : value]));
}

/** What an adapter does beside delivering. */
export function describeBesides(at: Subject): void {
  const { kind, dialect } = at;
  const { capabilities: can } = kind;
  test('what is kept of exchanges shows everything but the secrets', async () => {
    await at.buy({ is: 'delivered', afterMs: LATER_MS });
    const kept = JSON.stringify(at.seen);
    expect(at.seen.flatMap(({ exchanges }) => exchanges).length).toBeGreaterThan(0);
    expect(kept).toContain(at.item.sku.split(':').at(-1));
    for (const { key, secret } of kind.fields) {
      const value = dialect.config[key];
      if (secret && value) expect(kept).not.toContain(value);
    }
  });

  describe.skipIf(!can.callback)('a callback', () => {
    const message = () => {
      at.simulator.shop.take({ reference: 'TGX-1', sku: at.item.sku, account: PLAYER.userId });
      return at.onlyOrder();
    };
    test('of the supplier names the purchase, by our reference or by its own', () => {
      const order = message();
      const sent = dialect.callback?.(at.simulator.shop, order);
      if (!sent) throw new Error('The dialect of a kind with callbacks sends some.');
      const reading = at.adapter().readCallback?.(sent);
      expect(reading).toMatchObject({ kind: 'hint' });
      if (reading?.kind === 'hint')
        expect([reading.reference === 'TGX-1', reading.supplierReference === order.id]).toContain(true);
    });

    test.skipIf(!dialect.forgedCallback)('of somebody without the secret is refused', () => {
      const forged = dialect.forgedCallback?.(at.simulator.shop, message());
      if (forged) expect(at.adapter().readCallback?.(forged)).toMatchObject({ kind: 'forged' });
    });

    test('that means nothing moves nothing', () => {
      for (const body of GARBAGE) {
        const sent = dialect.callback?.(at.simulator.shop, at.simulator.shop.orders[0] ?? message());
        if (!sent) continue;
        expect(at.adapter().readCallback?.({ ...sent, rawBody: Buffer.from(body) })?.kind).not.toBe('hint');
      }
    });

    test.skipIf(!dialect.ping)('that only tests the address is taken for that', () => {
      const ping = dialect.ping?.();
      if (ping) expect(at.adapter().readCallback?.(ping)).toEqual({ kind: 'ping' });
    });
  });

  test.skipIf(!can.priceList)('the price list has every item with what it costs us, and whether it can be had', async () => {
    const list = await at.supplier.listServices(dialect.items.map(({ sku }) => sku));
    if (list.kind !== 'known') throw new Error(JSON.stringify(list));
    const told = dialect.items.map(({ sku }) => list.services.find((service) => service.sku === sku));
    expect(told).toMatchObject(dialect.items.map(({ sku, price, available }) => ({ sku, cost: price, available })));
  });

  describe.skipIf(!can.priceList)('one odd entry of the price list', () => {
    const read = async (change: (entry: Record<string, unknown>) => Record<string, unknown>[]) => {
      at.simulator.faultOf = () => ({ is: 'altered', answer: (body) => changeEntries(body, change) });
      const list = await at.supplier.listServices(dialect.items.map(({ sku }) => sku));
      if (list.kind !== 'known') throw new Error(JSON.stringify(list));
      return list.services;
    };
    const all = dialect.items.map(({ sku, price, available }) => expect.objectContaining({ sku, cost: price, available }));

    test('of which nothing can be read costs no other entry, and is told', async () => {
      const empty = (entry: Record<string, unknown>) => Object.fromEntries(Object.keys(entry).map((name) => [name, null]));
      const listed = await read((entry) => [empty(entry), entry]);
      expect(listed).toEqual(expect.arrayContaining(all));
      expect(listed.filter((item) => 'unread' in item).length).toBeGreaterThan(0);
    });

    test('without a name is told under the name that its order has', async () => {
      expect(await read((entry) => [withoutName(entry)])).toEqual(expect.arrayContaining(all));
    });

    test('whose price is no number is left out, and told by its name', async () => {
      const damaged = new Set<unknown>();
      const listed = await read((entry) => {
        if (damaged.size > 0) return [entry];
        damaged.add(entry);
        return [Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, PRICES.test(name) ? '?' : value]))];
      });
      const [odd] = listed.filter((item) => 'unread' in item);
      expect(odd).toMatchObject({ sku: expect.any(String), unread: expect.stringMatching(/price|amount/) });
      expect(listed.filter((item) => 'cost' in item)).toHaveLength(dialect.items.length - 1);
    });
  });

  test.skipIf(!can.balance)('our balance is told in whole units, and a refusal of our credentials is told as that', async () => {
    expect(await at.supplier.readBalance()).toEqual({ kind: 'known', balance: at.simulator.shop.balance });
    expect((await at.open(dialect.wrongConfig, at.simulator.wire()).readBalance()).kind).toBe('misconfigured');
  });

  describe.skipIf(!can.nickname)('the nickname', () => {
    test('of a player is found, of nobody is not, and is unavailable when the supplier does not answer', async () => {
      const { players } = dialect;
      if (!players) throw new Error('The dialect of a kind with a lookup knows players.');
      expect(await at.supplier.lookupNickname(players.known)).toEqual({ kind: 'found', nickname: players.nickname });
      expect(await at.supplier.lookupNickname(players.unknown)).toEqual({ kind: 'not_found' });
      for (const body of GARBAGE) {
        at.simulator.faultOf = () => ({ is: 'garbage', body });
        expect(await at.supplier.lookupNickname(players.known)).toMatchObject({ kind: 'unavailable' });
      }
    });

    test('in a game that the supplier has no lookup for is unavailable, not unknown', async () => {
      const outcome = await at.supplier.lookupNickname({ productCode: 'NOSUCHGAME', ...PLAYER });
      expect(outcome).toMatchObject({ kind: 'unavailable' });
    });
  });
}
