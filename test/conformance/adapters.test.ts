import { expect, test } from 'vitest';
import { SUPPLIER_KINDS } from '../../src/main/supplier-kinds.ts';
import { DIALECTS } from '../simulators/dialects.ts';
import { describeConformance } from './conformance.ts';

test('every kind of supplier has a simulator, and every simulator a kind', () => {
  expect(SUPPLIER_KINDS.map(({ kind }) => kind).sort()).toEqual(DIALECTS.map(({ kind }) => kind).sort());
});

for (const kind of SUPPLIER_KINDS) {
  const dialect = DIALECTS.find((candidate) => candidate.kind === kind.kind);
  if (dialect) describeConformance(kind, dialect);
}
