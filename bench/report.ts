import fs from 'node:fs';
import path from 'node:path';
import type { Measurement } from './closed-loop.ts';
import type { Machine } from './machine.ts';

export type Workload = 'hot' | 'spread' | 'idle';

export interface Result {
  workload: Workload;
  name: string;
  isBaseline: boolean;
  measurement: Measurement;
  /** Orders paid and delivered per second, counted until the last delivery; null where nothing is delivered. */
  deliveredPerSecond: number | null;
  /** Orders for each time the write-ahead log was forced to disk; null where that cannot be counted. */
  ordersPerFsync: number | null;
  /** Transactions that PostgreSQL sacrificed because two waited for each other; each had cost a second by then. */
  deadlocks: number | null;
}

/** What `select version()` answers on each engine. */
export interface Versions {
  postgres: string;
  embedded: string;
}

export const WORKLOADS: Record<Workload, string> = {
  hot: 'one hot reseller',
  spread: '100 resellers',
  idle: 'idle: one connection, one order after the other',
};

const HEADINGS = ['case', 'orders/s', 'ratio', 'p50 ms', 'p99 ms', 'delivered/s', 'orders/fsync', 'deadlocks', 'client CPU'];

/** The table a person reads, one block for each workload, as Markdown so that it can be kept. */
export function renderTable(results: Result[]): string {
  const blocks = (Object.keys(WORKLOADS) as Workload[]).flatMap((workload) => {
    const rows = results.filter((result) => result.workload === workload);
    if (rows.length === 0) return [];
    const best = bestBaseline(results, workload);
    return [`${WORKLOADS[workload]}\n\n${renderRows([HEADINGS, ...rows.map((row) => cells(row, best))])}`];
  });
  return blocks.join('\n\n');
}

/** What two results are compared by. */
export interface Comparable {
  workload: string;
  isBaseline: boolean;
  measurement: { perSecond: number };
}

/** The fastest of the baselines of a workload: Topgate is compared with the best that can be done without it. */
export function bestBaseline<Compared extends Comparable>(results: Compared[], workload: string): Compared | undefined {
  return results
    .filter((result) => result.isBaseline && result.workload === workload)
    .toSorted((left, right) => right.measurement.perSecond - left.measurement.perSecond)[0];
}

function ratio(result: Comparable, best: Comparable | undefined): number | null {
  return best ? result.measurement.perSecond / best.measurement.perSecond : null;
}

export function ratioCell(result: Comparable, best: Comparable | undefined): string {
  const compared = ratio(result, best);
  if (result === best) return 'baseline';
  return compared === null ? '–' : `${compared.toFixed(2)} ×`;
}

export function rateCell(perSecond: number | null): string {
  return perSecond === null ? '–' : Math.round(perSecond).toLocaleString('en');
}

function cells(result: Result, best: Result | undefined): string[] {
  const { measurement } = result;
  return [
    result.name,
    rateCell(measurement.perSecond),
    ratioCell(result, best),
    measurement.p50Ms.toFixed(2),
    measurement.p99Ms.toFixed(2),
    rateCell(result.deliveredPerSecond),
    result.ordersPerFsync === null ? '–' : result.ordersPerFsync.toFixed(1),
    result.deadlocks === null ? '–' : String(result.deadlocks),
    `${Math.round(measurement.clientCpu * 100)} %`,
  ];
}

export function renderRows(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const [headings, ...body] = rows.map(line);
  return [headings, rule, ...body].join('\n');
}

/** Keeps everything a later run can be compared with. Answers the file's name. */
export function saveResults(run: { machine: Machine; versions: Versions; connections: number; results: Comparable[] }): string {
  const folder = path.join(import.meta.dirname, 'results');
  fs.mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  const file = path.join(folder, `${at.replaceAll(/[:.]/g, '-')}.json`);
  const results = run.results.map((result) => ({ ...result, ratio: ratio(result, bestBaseline(run.results, result.workload)) }));
  fs.writeFileSync(file, `${JSON.stringify({ at, ...run, results }, null, 2)}\n`);
  return file;
}
