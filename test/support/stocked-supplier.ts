import type { Amount } from '../../src/lib/money.ts';
import type { ListedItem, SupplierKind } from '../../src/suppliers/supplier.ts';
import { type ScriptedSupplier, scriptedSupplier } from './scripted-supplier.ts';

/** A scripted supplier that tells our balance and its price list too. */
export interface StockedSupplier extends ScriptedSupplier {
  kind: SupplierKind;
  balanceReadings: number;
  listReadings: number;
  onBalance: () => Promise<Amount | null>;
  onList: (wanted: readonly string[]) => Promise<ListedItem[]>;
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
      listServices(_call, wanted) {
        script.listReadings += 1;
        return script.onList(wanted);
      },
    }),
  };
  return script;
}
