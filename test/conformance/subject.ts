import { type Connection, connect } from '../../src/connections/connection.ts';
import { createRedactor } from '../../src/connections/redact.ts';
import { fieldsOf, fillConfig, readSettings } from '../../src/connections/settings.ts';
import { newId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { fillTemplate } from '../../src/suppliers/account-template.ts';
import type { ObservedCall } from '../../src/suppliers/observed-call.ts';
import type { Purchase, Supplier, SupplierKind } from '../../src/suppliers/supplier.ts';
import type { Wire } from '../../src/suppliers/wire.ts';
import type { Dialect } from '../simulators/dialect.ts';
import type { Fate, ShopItem, ShopOrder } from '../simulators/shop.ts';
import { type Fault, Simulator } from '../simulators/simulator.ts';
import { FakeClock, TEST_START } from '../support/fake-clock.ts';
import { BASE_URL, DELIVERED, LATER_MS, NO_FAULT, PLAYER } from './values.ts';

const MAX_LOOKS = 20;

/** An adapter behind its limits, before a simulator of its supplier, on a clock that stands still. */
export class Subject {
  readonly kind: SupplierKind;
  readonly dialect: Dialect;
  /** Something that can be bought. */
  readonly item: ShopItem;
  clock: FakeClock;
  simulator: Simulator;
  seen: ObservedCall[];
  supplier: Connection;

  constructor(kind: SupplierKind, dialect: Dialect) {
    const item = dialect.items.find(({ available }) => available);
    if (!item) throw new Error('A dialect has at least one item that is available.');
    this.kind = kind;
    this.dialect = dialect;
    this.item = item;
    this.clock = new FakeClock();
    this.seen = [];
    this.simulator = new Simulator(dialect, { clock: this.clock, fateOf: () => DELIVERED });
    this.supplier = this.open(dialect.config, this.simulator.wire());
  }

  /** Everything anew, as nothing had happened. */
  begin(): void {
    this.clock = new FakeClock();
    this.seen = [];
    this.simulator = new Simulator(this.dialect, { clock: this.clock, fateOf: () => DELIVERED });
    this.supplier = this.open(this.dialect.config, this.simulator.wire());
  }

  adapter(config: Record<string, string> = this.dialect.config): Supplier {
    const { kind, clock } = this;
    return kind.create({ code: kind.kind, config: fillConfig(kind, { base_url: BASE_URL, ...config }), clock });
  }

  open(config: Record<string, string>, wire: Wire): Connection {
    const { kind, clock } = this;
    // These tests call as often as they like.
    const unhurried: SupplierKind = { ...kind, limits: { ...kind.limits, circuit: null, perSecond: null } };
    const whole: Record<string, string> = { base_url: BASE_URL, ...config };
    const secrets = fieldsOf(kind).flatMap(({ key, secret }) => (secret ? [whole[key] ?? ''] : []));
    return connect({
      code: kind.kind,
      kind: unhurried,
      settings: readSettings(unhurried, whole),
      supplier: this.adapter(config),
      status: 'Active',
      hold: null,
      wire,
      redact: createRedactor(secrets),
      observe: (call) => this.seen.push(call),
      clock,
      log: silentLog,
    });
  }

  purchase(changes: Partial<Purchase> = {}): Purchase {
    return {
      reference: `TG${newId(TEST_START).replaceAll('-', '').slice(0, 26).toUpperCase()}-1`,
      supplierReference: null,
      sku: this.item.sku,
      ...this.accountOf(PLAYER),
      cost: this.item.price,
      sends: 1,
      createdAt: this.clock.now(),
      ...changes,
    };
  }

  /** A player, and the account as the supplier gets it. */
  accountOf(player: { userId: string; zone: string }): Pick<Purchase, 'userId' | 'zone' | 'accountText'> {
    const { accountTemplate } = this.kind;
    return { ...player, accountText: accountTemplate === null ? null : fillTemplate(accountTemplate, player) };
  }

  /** Asks about a purchase until it has an end, as the dispatcher does. */
  async follow(bought: Purchase, first: { kind: string; supplierReference?: string }) {
    let known = { ...bought, supplierReference: first.supplierReference ?? null };
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      await this.clock.advance(LATER_MS);
      const outcome = await this.supplier.checkOrder(known);
      if (outcome.kind !== 'pending') return outcome;
      known = { ...known, supplierReference: outcome.supplierReference ?? known.supplierReference };
    }
    throw new Error('The purchase has no end.');
  }

  /** Sends a purchase and follows it to its end. */
  async buy(fate: Fate) {
    this.simulator.shop.fateOf = () => fate;
    const bought = this.purchase();
    const placed = await this.supplier.placeOrder(bought);
    return placed.kind === 'pending' ? this.follow(bought, placed) : placed;
  }

  /** Lets something go wrong with everything but requests before the one that buys: whatever becomes of those is certain. */
  play(fault: Fault): void {
    this.simulator.faultOf = (request) => (this.dialect.isPreparation?.(request) ? NO_FAULT : fault);
  }

  onlyOrder(): ShopOrder {
    const [order] = this.simulator.shop.orders;
    if (!order) throw new Error('The supplier took nothing.');
    return order;
  }
}
