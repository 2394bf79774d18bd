import type { Amount } from '../../src/lib/money.ts';
import type { ListedItem, SupplierKind } from '../../src/suppliers/supplier.ts';
import type { SupplierCall } from '../../src/suppliers/wire.ts';
import { type ScriptedSupplier, scriptedSupplier } from './scripted-supplier.ts';

/** A scripted supplier that tells our balance and its price list too. */
export interface StockedSupplier extends ScriptedSupplier {
  kind: SupplierKind;
  balanceReadings: number;
  listReadings: number;
  onBalance: () => Promise<Amount | null>;
  onList: (wanted: readonly string[], call: SupplierCall) => Promise<ListedItem[]>;
}

/** The request for a list that gets no answer: this supplier has no network. */
export async function askInVain(_wanted: readonly string[], call: SupplierCall): Promise<ListedItem[]> {
  await call.send({ method: 'GET', url: 'https://supplier.example/list' });
  return [];
}

export function stockedSupplier(): StockedSupplier {
  const scripted = scriptedSupplier();
  const { kind } = scripted;
  const script: StockedSupplier = Object.assign(scripted, {
    balanceReadings: 0,
    listReadings: 0,
    onBalance: async () => 1_000_000n,
    onList: async () => [],
  });
  script.kind = {
    ...kind,
    kind: 'stocked',
    label: 'Stocked',
    capabilities: { ...kind.capabilities, balance: true, priceList: true },
    create: (setup) => ({
      ...kind.create(setup),
      balance() {
        script.balanceReadings += 1;
        return script.onBalance();
      },
      listServices(call, wanted) {
        script.listReadings += 1;
        return script.onList(wanted, call);
      },
    }),
  };
  return script;
}
