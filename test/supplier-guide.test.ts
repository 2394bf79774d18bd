import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { SUPPLIER_KINDS } from '../src/main/supplier-kinds.ts';

const GUIDE = fs.readFileSync(path.join(import.meta.dirname, '../docs/guides/suppliers.md'), 'utf8');

/** The cells of each supplier's row, by its kind. */
const ROWS = new Map(
  GUIDE.split('\n')
    .filter((line) => line.startsWith('| ['))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim());
      return [/^\[([a-z-]+)\]/.exec(cells[1] ?? '')?.[1] ?? '', cells.slice(2, -1)] as const;
    }),
);

test('the guide has every supplier, and no other', () => {
  expect([...ROWS.keys()]).toEqual(SUPPLIER_KINDS.map(({ kind }) => kind));
});

test.each(SUPPLIER_KINDS)('the guide says of $kind what its adapter declares', ({ kind, capabilities: can }) => {
  const declared = [
    can.lookup,
    can.safeResend,
    can.trustworthyNotFound,
    can.callback,
    can.nickname,
    can.balance,
    can.priceList,
    can.priceGuard,
  ];
  expect(ROWS.get(kind)).toEqual(declared.map((is) => (is ? 'yes' : '–')));
});
