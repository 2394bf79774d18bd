import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TEST_START } from '../../test/support/fake-clock.ts';
import { newId } from '../lib/ids.ts';
import { compareStatement, FINDINGS, type FindingKind, type OurPurchase, type StatementLine, type Verdict } from './statement.ts';
import { type ForeignCurrency, readAmount } from './statement-amount.ts';
import { readStatementCsv } from './statement-csv.ts';

function purchaseWith(fields: Partial<OurPurchase> = {}): OurPurchase {
  return {
    orderId: newId(TEST_START),
    number: 1,
    reference: 'OURS-1',
    supplierReference: null,
    state: 'Delivered',
    orderState: 'Success',
    amount: 20_000n,
    ...fields,
  };
}

function lineWith(verdict: Verdict, fields: Partial<StatementLine> = {}): StatementLine {
  return {
    line: 2,
    reference: 'OURS-1',
    supplierReference: null,
    status: verdict,
    verdict,
    amount: 20_000n,
    slack: 0n,
    amountText: '20000',
    ...fields,
  };
}

const COMPARED = { comparesAmounts: true };

function kindsOf(purchase: OurPurchase, lines: StatementLine[], how = COMPARED): FindingKind[] {
  const find = ({ reference }: StatementLine) => (reference === purchase.reference ? purchase : null);
  return compareStatement(lines, find, [purchase], how).findings.map(({ kind }) => kind);
}

describe('a statement beside our book', () => {
  test.each<[string, Partial<OurPurchase>, StatementLine[], FindingKind]>([
    ['delivered on both sides at the same price', {}, [lineWith('delivered')], 'matched'],
    ['delivered at an amount that cannot be read', {}, [lineWith('delivered', { amount: null })], 'unreadable_amount'],
    ['delivered at an amount that was rounded', {}, [lineWith('delivered', { amount: 20_080n, slack: 82n })], 'matched'],
    ['delivered at less than that', {}, [lineWith('delivered', { amount: 19_910n, slack: 82n })], 'amount_differs'],
    ['delivered at another price', {}, [lineWith('delivered', { amount: 20_500n })], 'amount_differs'],
    ['delivered twice there', {}, [lineWith('delivered'), lineWith('delivered')], 'charged_twice'],
    [
      'delivered there and refunded here',
      { orderState: 'Failed', state: 'Unknown' },
      [lineWith('delivered')],
      'delivered_there_refunded_here',
    ],
    [
      'delivered there and refunded here after the rejection',
      { orderState: 'Failed', state: 'Rejected' },
      [lineWith('delivered')],
      'delivered_there_refunded_here',
    ],
    [
      'delivered there, rejected here, delivered by another supplier',
      { state: 'Rejected' },
      [lineWith('delivered')],
      'delivered_there_rejected_here',
    ],
    ['taken back there after a delivery', {}, [lineWith('delivered'), lineWith('failed')], 'failed_there_delivered_here'],
    ['failed there and delivered here', {}, [lineWith('failed')], 'failed_there_delivered_here'],
    ['failed on both sides', { state: 'Rejected', orderState: 'Failed' }, [lineWith('failed')], 'matched'],
    ['taken back on both sides', { state: 'Reversed', orderState: 'Refunded' }, [lineWith('failed')], 'matched'],
    ['ended there and open here', { state: 'Unknown', orderState: 'Process' }, [lineWith('delivered')], 'open_here'],
    ['open on both sides', { state: 'Pending', orderState: 'Process' }, [lineWith('pending')], 'matched'],
    ['open there and ended here', {}, [lineWith('pending')], 'open_there'],
    ['in a state nobody knows', {}, [lineWith(null)], 'unreadable_status'],
    ['delivered here and not there', {}, [], 'missing_there'],
  ])('%s', (_what, purchase, lines, kind) => {
    expect(kindsOf(purchaseWith(purchase), lines)).toEqual([kind]);
  });

  test('without amounts only states are compared, and no total is made up', () => {
    const how = { comparesAmounts: false };
    const line = lineWith('delivered', { amount: null });
    expect(kindsOf(purchaseWith(), [line], how)).toEqual(['matched']);
    expect(compareStatement([line], () => null, [], how).totals.theirs).toBeNull();
  });

  test('what we never bought is told as such', () => {
    const other = purchaseWith({ reference: 'OURS-2', state: 'Rejected' });
    expect(kindsOf(other, [lineWith('delivered')])).toEqual(['unknown_here']);
  });

  test('the totals are what was charged and did not come back, and what deliveries cost by our book', () => {
    const purchases = ['A', 'B'].map((reference) => purchaseWith({ reference }));
    const lines = [
      lineWith('delivered', { reference: 'A' }),
      lineWith('failed', { reference: 'A' }),
      lineWith('delivered', { reference: 'B', amount: 21_000n }),
      lineWith('delivered', { reference: 'C', amount: 5n }),
      lineWith('pending', { reference: 'D', amount: 7n }),
    ];
    const find = ({ reference }: StatementLine) => purchases.find((purchase) => purchase.reference === reference) ?? null;
    expect(compareStatement(lines, find, purchases, COMPARED).totals).toEqual({ theirs: 21_005n, ours: 40_000n });
  });

  test('every purchase and every line is told of exactly once, the gravest first', () => {
    const verdict = fc.constantFrom<Verdict>('delivered', 'failed', 'pending', null);
    const state = fc.constantFrom<OurPurchase['state']>('Sending', 'Unknown', 'Delivered', 'Rejected', 'Reversed');
    const orderState = fc.constantFrom<OurPurchase['orderState']>('Process', 'Success', 'Failed', 'Refunded');
    fc.assert(
      fc.property(
        fc.array(fc.record({ state, orderState }), { maxLength: 8 }),
        fc.array(fc.record({ verdict, index: fc.nat(9) }), { maxLength: 20 }),
        (states, said) => {
          const purchases = states.map((fields, index) => purchaseWith({ ...fields, reference: String(index) }));
          const lines = said.map(({ verdict: word, index }) => lineWith(word, { reference: String(index) }));
          const find = ({ reference }: StatementLine) => purchases[Number(reference)] ?? null;
          const { findings, counts } = compareStatement(lines, find, purchases, COMPARED);
          const told = findings.flatMap(({ purchase }) => purchase?.reference ?? []);
          expect(new Set(told).size).toBe(told.length);
          const known = new Set(lines.filter((line) => find(line) !== null).map(({ reference }) => reference));
          const missing = purchases.filter(({ reference, state: ours }) => ours === 'Delivered' && !known.has(reference));
          const strangers = lines.filter((line) => find(line) === null);
          expect(findings).toHaveLength(known.size + missing.length + strangers.length);
          expect(Object.values(counts).reduce((total, count) => total + count, 0)).toBe(findings.length);
          const ranks = findings.map(({ kind }) => FINDINGS.indexOf(kind));
          expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        },
      ),
    );
  });
});

describe('a statement file', () => {
  const readWhole = (csv: string, columns = {}, foreign: ForeignCurrency | null = null) => {
    const outcome = readStatementCsv(csv, columns, foreign);
    if (outcome.kind === 'invalid') throw new Error(outcome.message);
    return outcome;
  };
  const read = (csv: string, columns = {}) => readWhole(csv, columns).lines;

  test.each([
    ['commas and English names', 'Ref ID,Trx ID,Status,Price\nA-1,77,SUCCESS,20000\n'],
    ['semicolons and Indonesian names', 'no_invoice;reff_id;status;harga\n77;A-1;Sukses;"Rp 20.000"\n'],
    ['semicolons and a comma in a header', 'harga (Rp, total);trxid;reff_id;status\n20.000,00;77;A-1;Sukses\n'],
    ['commas and a semicolon in a cell', 'ref_id,trx_id,note,price,status\nA-1,77,1;2;3,20000,ok\n'],
    ['tabs, a byte order mark and another order', '\ufeffprice\tstatus\ttrxid\tref-id\n20,000.00\tBerhasil\t77\tA-1\n'],
  ])('with %s', (_what, csv) => {
    const columns = csv.startsWith('harga (') ? { amount: 'harga (Rp, total)' } : {};
    expect(read(csv, columns)).toMatchObject([
      { line: 2, reference: 'A-1', supplierReference: '77', status: expect.any(String), verdict: 'delivered', amount: 20_000n },
    ]);
  });

  test('with names nobody would guess is read as told', () => {
    const [line] = read('x,y,z\nA-1,gagal,15\n', { reference: 'X', status: 'y', amount: 'z' });
    expect(line).toMatchObject({ reference: 'A-1', verdict: 'failed', amount: 15n });
  });

  test('tells which columns it was taken to have, and whether it has amounts', () => {
    expect(readWhole('Trx ID,Status,note\n77,ok,x\n')).toMatchObject({
      columns: { supplier_reference: 'Trx ID', status: 'Status' },
      amounts: 'no_column',
    });
    expect(readWhole('ref_id,Harga\nA-1,free\n')).toMatchObject({
      columns: { reference: 'ref_id', amount: 'Harga' },
      amounts: 'compared',
      lines: [{ amount: null, amountText: 'free' }],
    });
  });

  test('in another currency is converted at the rate, and not compared without one', () => {
    const dollars: ForeignCurrency = { code: 'USD', toOurs: (decimal) => BigInt(Math.ceil(Number(decimal) * 16_250)) };
    const csv = 'ref_id,status,amount\nA-1,completed,USD 1.26\n';
    expect(readWhole(csv, {}, dollars)).toMatchObject({ amounts: 'compared', lines: [{ amount: 20_475n, slack: 82n }] });
    expect(readWhole(csv, {}, { code: 'USD', toOurs: null })).toMatchObject({
      amounts: 'no_exchange_rate',
      lines: [{ amount: null, amountText: 'USD 1.26' }],
    });
  });

  test('without states lists what was charged, and what came back', () => {
    expect(read('ref_id,amount\nA-1,20000\nA-1,-20000\n').map(({ verdict }) => verdict)).toEqual(['delivered', 'failed']);
  });

  test.each([
    ['no rows', 'ref_id,status\n', {}, 'no rows'],
    ['no names of purchases', 'status,price\nok,1\n', {}, 'No column names the purchases'],
    ['another name than told', 'ref_id\nA-1\n', { amount: 'harga' }, 'There is no column "harga"'],
    ['an open quote', 'ref_id\n"A-1\n', {}, 'Not a CSV file'],
    ['names nobody would guess', 'x,y\nA-1,ok\n', {}, '--column reference=HEADER'],
    ['two bytes for each character', 'r\0e\0f\0_\0i\0d\0\n\0', {}, 'CSV UTF-8'],
  ])('with %s is refused with what to do', (_what, csv, columns, message) => {
    expect(readStatementCsv(csv, columns)).toMatchObject({ kind: 'invalid', message: expect.stringContaining(message) });
  });

  test.each([
    ['23600', 23_600n],
    ['23.600', 23_600n],
    ['1,234,567', 1_234_567n],
    ['Rp 23.600,00', 23_600n],
    ['IDR 23600.0', 23_600n],
    ['-23600', 23_600n],
    ['(23.600)', 23_600n],
    ['23.6', null],
    ['1.23.456', null],
    ['23.600,50', null],
    ['', null],
    ['free', null],
    ['123456789012', null],
  ])('the amount %s', (text, amount) => {
    expect(readAmount(text)?.amount ?? null).toBe(amount);
  });

  test.each([
    ['1.26', 126n],
    ['$1,234.50', 123_450n],
    ['1.234,50 usd', 123_450n],
    ['-1,2', 120n],
    ['7', 700n],
    ['0.1234', 13n],
    ['1.234', null],
    ['1,234', null],
    ['1.2.3', null],
    ['free', null],
  ])('the amount %s of a supplier that counts in cents', (text, amount) => {
    const toOurs = (decimal: string) => BigInt(Math.ceil(Math.round(Number(decimal) * 1e6) / 1e4));
    expect(readAmount(text, { code: 'USD', toOurs })?.amount ?? null).toBe(amount);
  });
});
