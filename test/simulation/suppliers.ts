import { required } from '../../src/lib/assert.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { SUPPLIER_KINDS } from '../../src/main/supplier-kinds.ts';
import type { SupplierKind } from '../../src/suppliers/supplier.ts';
import type { Dialect, SimulatorAnswer } from '../simulators/dialect.ts';
import { DIALECTS } from '../simulators/dialects.ts';
import type { Chance } from './chance.ts';
import { ofPurchase } from './of-purchase.ts';
import { type Traits, WORLD_TRAITS } from './traits.ts';
import { TURNED_AWAY, worldDialect } from './world-dialect.ts';
import { worldKind } from './world-supplier.ts';

/** Invented ones with every habit, or the adapters before the simulators of their suppliers. */
export type Suppliers = 'invented' | 'adapters';

const REVERSES_WITHIN_MS = 6 * HOUR_MS;

/** A supplier that takes part in a world. */
export interface Cast {
  code: string;
  kind: SupplierKind;
  dialect: Dialect;
  reversesWithinMs: number | null;
  /** How it may turn away a repeated request. */
  turnsAwayWith: readonly SimulatorAnswer[];
}

/** Some suppliers, so that a world stays small and every pair of them meets in some world. */
export function castSuppliers(chance: Chance, from: Suppliers): Cast[] {
  const all = from === 'invented' ? WORLD_TRAITS.map(invented) : DIALECTS.map(adapted);
  return chance.shuffled(all).slice(0, chance.between(2, 3));
}

function invented(traits: Traits): Cast {
  const { kind, reversesWithinMs } = traits;
  return {
    code: kind,
    kind: ofPurchase(worldKind(traits)),
    dialect: worldDialect(traits),
    reversesWithinMs,
    turnsAwayWith: TURNED_AWAY,
  };
}

function adapted(dialect: Dialect): Cast {
  const kind = required(
    SUPPLIER_KINDS.find((candidate) => candidate.kind === dialect.kind),
    'the adapter of a simulator',
  );
  const reversesWithinMs = dialect.plays.reversal ? REVERSES_WITHIN_MS : null;
  return { code: dialect.kind, kind: ofPurchase(kind), dialect, reversesWithinMs, turnsAwayWith: [] };
}
