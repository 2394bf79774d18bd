import type { Amount } from '../lib/money.ts';

/** What a supplier counts in with us, when it is not our currency. */
export interface ForeignCurrency {
  code: string;
  /** What a decimal amount comes to in ours; null while no exchange rate is set. */
  toOurs: ((decimal: string) => Amount) | null;
}

/** Whether amounts of a statement could be held against ours, or what was lacking. */
export const AMOUNTS = ['compared', 'no_column', 'no_exchange_rate'] as const;
export type Amounts = (typeof AMOUNTS)[number];

/** An amount as it stands in a statement. */
export interface StatementAmount {
  /** In our currency; null while that cannot be told. */
  amount: Amount | null;
  isNegative: boolean;
  /** By so much ours may be another one all the same: theirs was rounded where it was written down. */
  slack: Amount;
}

/** No purchase costs more, and the sum of all rows still fits JSON exactly. */
const MAX_DIGITS = 11;
const OWN = /^([-+(]?)(?:(\d{1,11})|(\d{1,3}(?:([.,])\d{3})(?:\4\d{3})*))(?:[.,]00?)?\)?$/;
const DECIMAL = /^([-+(]?)(?:(\d{1,9})|(\d{1,3}(?:,\d{3})+)(?=\.)|(\d{1,3}(?:\.\d{3})+)(?=,))(?:[.,](\d{1,2}|\d{4,6}))?\)?$/;

/** The amount of a cell, in our currency or in theirs. Null when there is none that can be read for certain. */
export function readAmount(text: string | null, foreign: ForeignCurrency | null = null): StatementAmount | null {
  if (text === null) return null;
  return foreign === null ? readOwnAmount(text) : readForeignAmount(text, foreign);
}

/** Whole units, as spreadsheets and dashboards write them: `23600`, `23.600`, `Rp 23,600.00`. */
function readOwnAmount(text: string): StatementAmount | null {
  const digits = text.replaceAll(/[\s\u00a0]|rp\.?|idr/gi, '');
  const [, sign, whole, grouped] = OWN.exec(digits) ?? [];
  const number = whole ?? grouped?.replaceAll(/[.,]/g, '');
  if (number === undefined || number.length > MAX_DIGITS) return null;
  return { amount: BigInt(number), isNegative: isMinus(sign), slack: 0n };
}

/** With decimals: `1.26`, `$1,234.50`, `USD 1,26`. Three digits behind a point or comma could be either, so they are none. */
function readForeignAmount(text: string, { code, toOurs }: ForeignCurrency): StatementAmount | null {
  const digits = text
    .toUpperCase()
    .replaceAll(code.toUpperCase(), '')
    .replaceAll(/[\s\u00a0$€£]/g, '');
  const [, sign, whole, byComma, byPoint, broken = ''] = DECIMAL.exec(digits) ?? [];
  const number = whole ?? (byComma ?? byPoint)?.replaceAll(/[.,]/g, '');
  if (number === undefined) return null;
  return {
    amount: toOurs?.(broken === '' ? number : `${number}.${broken}`) ?? null,
    isNegative: isMinus(sign),
    // Half of the last place that is written.
    slack: toOurs?.(`0.${'0'.repeat(broken.length)}5`) ?? 0n,
  };
}

function isMinus(sign: string | undefined): boolean {
  return sign === '-' || sign === '(';
}
