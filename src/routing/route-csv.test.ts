import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Route } from './route.ts';
import { readRouteCsv, writeRouteCsv } from './route-csv.ts';

const HEADER = 'service_code,supplier,sku,cost,account_template,once_per_day,cut_off\n';

describe('a file of routes', () => {
  test('has those of a service in order of preference, with empty cells for what they have not', () => {
    const file = readRouteCsv(`${HEADER}FF-70,main,F70,9500,{user_id}|{zone},true,23:30-00:30\nFF-70,backup,f,9700,,,\n`);
    expect(file).toEqual({
      kind: 'read',
      services: new Map([
        [
          'FF-70',
          [
            {
              line: 2,
              supplierCode: 'main',
              sku: 'F70',
              cost: 9_500n,
              accountTemplate: '{user_id}|{zone}',
              oncePerDay: true,
              cutOff: { start: '23:30', end: '00:30' },
            },
            { line: 3, supplierCode: 'backup', sku: 'f', cost: 9_700n, accountTemplate: null, oncePerDay: false, cutOff: null },
          ],
        ],
      ]),
    });
  });

  test('needs no more columns than service, supplier, item and cost', () => {
    expect(readRouteCsv('sku,cost,supplier,service_code\nF70,1,main,FF-70\n')).toMatchObject({ kind: 'read' });
  });

  test.each([
    ['no cost column', 'service_code,supplier,sku\nA,b,c\n', [{ line: 1, message: 'These columns are missing: cost.' }]],
    ['a cost that is none', `${HEADER}A,b,c,1.5,,,\n`, [{ line: 2, message: 'cost is not a whole number of minor units.' }]],
    [
      'two wrong rows',
      `${HEADER}A,b,,1,,,\nA,b,c,1,,maybe,24:00-01:00\n`,
      [
        { line: 2, message: 'sku must not be empty.' },
        { line: 3, message: 'once_per_day is neither true nor false.' },
        { line: 3, message: 'cut_off is not written as 23:30-00:30.' },
      ],
    ],
    ['the same item twice', `${HEADER}A,b,c,1,,,\nA,b,c,2,,,\n`, [{ line: 3, message: 'A has b with the item c twice.' }]],
    [
      'more routes than a service may have',
      HEADER + Array.from({ length: 21 }, (_, index) => `A,b,c${index},1,,,\n`).join(''),
      [{ line: 22, message: 'A has more than 20 routes.' }],
    ],
  ])('with %s is refused whole, by line', (_what, csv, issues) => {
    expect(readRouteCsv(csv)).toEqual({ kind: 'invalid', issues });
  });

  test('is read as it was written, formulas and all', () => {
    const word = fc
      .string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'aZ0=+-@|{},;"\'.: ') })
      .filter((text) => !text.startsWith("'"));
    const routes = fc.uniqueArray(
      fc.record({
        supplierCode: fc.constantFrom('main', 'backup'),
        sku: word,
        cost: fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }),
        accountTemplate: fc.option(word),
        oncePerDay: fc.boolean(),
        cutOff: fc.option(fc.constant({ start: '23:30', end: '00:30' })),
      }),
      { minLength: 1, maxLength: 5, selector: ({ supplierCode, sku }) => `${supplierCode} ${sku}` },
    );
    fc.assert(
      fc.property(routes, (list: Route[]) => {
        const file = readRouteCsv(writeRouteCsv(new Map([['FF-70', list]])));
        expect(file).toMatchObject({ kind: 'read' });
        if (file.kind !== 'read') return;
        expect(file.services.get('FF-70')).toEqual(list.map((route, index) => ({ ...route, line: index + 2 })));
      }),
    );
  });
});
