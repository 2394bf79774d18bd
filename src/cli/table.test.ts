import { describe, expect, test } from 'vitest';
import { createPaint, joinBlocks, section } from './output.ts';
import { displayWidth, type Paint, renderDetails, renderTable } from './table.ts';

const plain: Paint = (_tone, text) => text;
const marked: Paint = (tone, text) => `<${tone}>${text}</>`;

describe('tables', () => {
  test('columns are as wide as their widest cell, amounts end at the same column, and no line ends in spaces', () => {
    const table = renderTable(
      [{ title: 'Username' }, { title: 'Balance', align: 'right' }, { title: 'Status' }],
      [
        ['demo', 'Rp0', 'Active'],
        ['kios-ayu-jaya', 'Rp1.250.000', ''],
      ],
      plain,
    );
    expect(table.split('\n')).toEqual([
      'Username           Balance  Status',
      'demo                   Rp0  Active',
      'kios-ayu-jaya  Rp1.250.000',
    ]);
  });

  test('colours do not move the columns', () => {
    const columns = [{ title: 'Status' }, { title: 'Mode' }];
    expect(renderTable(columns, [[{ text: 'Failed', tone: 'bad' }, 'live']], marked)).toContain('<bad>Failed</>  live');
  });

  test('letters and emoji that take two columns keep the columns straight', () => {
    expect(displayWidth('Budi')).toBe(4);
    expect(displayWidth('勇者')).toBe(4);
    expect(displayWidth('🔥')).toBe(2);
    expect(displayWidth('Késar')).toBe(5);
    const rows = renderTable(
      [{ title: 'Name' }, { title: 'X' }],
      [
        ['勇者', '1'],
        ['abcd', '2'],
      ],
      plain,
    );
    expect(rows.split('\n').slice(1)).toEqual(['勇者  1', 'abcd  2']);
  });

  test('a name from the network cannot steer the terminal', () => {
    const rendered = renderTable([{ title: 'Name' }], [['a\u001b[31mred\u0007\nb']], plain);
    expect(rendered).toBe('Name\nared  b');
  });
});

describe('details', () => {
  test('labels align, and entries without a value are left out', () => {
    const entries: [string, string | null][] = [
      ['Order', 'TG1'],
      ['Serial number', 'SN'],
      ['Why', null],
      ['Zone', ''],
    ];
    expect(renderDetails(entries, plain)).toBe('  Order          TG1\n  Serial number  SN');
  });
});

describe('output', () => {
  test('colours appear at a terminal only, and never against NO_COLOR', () => {
    const stream = { write: () => true };
    expect(createPaint({ ...stream, isTTY: true }, {})('bad', 'x')).not.toBe('x');
    expect(createPaint({ ...stream, isTTY: true }, { NO_COLOR: '1' })('bad', 'x')).toBe('x');
    expect(createPaint(stream, {})('bad', 'x')).toBe('x');
  });

  test('empty blocks leave no empty lines', () => {
    expect(joinBlocks('a', null, '', 'b')).toBe('a\n\nb');
    expect(section('Title', 'x\ny', plain)).toBe('Title\n  x\n  y');
  });
});
