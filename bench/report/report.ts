import fs from 'node:fs';
import path from 'node:path';
import type { Outcome, Plan } from '../case.ts';
import type { Machine } from '../system/machine.ts';
import { type Measured, TARGETS, type TargetId } from '../targets.ts';
import type { Figure } from './figures.ts';
import { renderFigures, renderRows } from './table.ts';

/** Everything of one run, as it is kept in `bench/results/` for comparison. */
export interface Report {
  at: string;
  plan: Plan;
  machine: Machine;
  versions: Versions;
  cases: CaseReport[];
}

export interface CaseReport {
  name: string;
  title: string;
  /** Why there are no figures; null when it went well. */
  failure: string | null;
  figures: Figure[];
  measured: Outcome['measured'];
  notes: string[];
}

/** What `select version()` answers on each engine. */
export interface Versions {
  postgres: string;
  embedded: string;
}

export function renderMachine({ cpu, cores, memoryGb, platform, node, load, disk, fsync }: Machine, versions: Versions): string {
  const busy = load > cores / 4 ? ': other programs are busy, so these numbers are noisy' : '';
  return renderRows(
    [
      ['machine', ''],
      ['CPU, memory', `${cpu}, ${cores} cores, ${memoryGb} GB`],
      ['system', `${platform}, Node ${node}`],
      ['load before', `${load.toFixed(2)}${busy}`],
      ['disk', disk],
      ['write + fsync of 8 KiB', `p50 ${fsync.p50Ms.toFixed(3)} ms, p99 ${fsync.p99Ms.toFixed(3)} ms`],
      ['PostgreSQL', build(versions.postgres)],
      ['embedded engine', build(versions.embedded)],
    ],
    2,
  );
}

/** Without the compilers, which would make a long line of it; the JSON has everything. */
function build(version: string): string {
  return version.split(' on ', 1).join();
}

/** The whole report as Markdown, so that it can be pasted into the documentation. */
export function renderReport(report: Report): string {
  const blocks = report.cases.map(({ name, title, figures, notes, failure }) =>
    [
      `### ${title} (\`${name}\`)`,
      ...(failure === null ? [] : [`Failed: ${failure}`]),
      ...(figures.length > 0 ? [renderFigures(figures)] : []),
      ...notes.map((note) => `- ${note}`),
    ].join('\n\n'),
  );
  const { seconds, rounds } = report.plan;
  return [
    `## Run of ${report.at}`,
    renderMachine(report.machine, report.versions),
    `Each measurement ${seconds} s after its warm-up, ${rounds} round${rounds === 1 ? '' : 's'} in turn, medians. Database, server and load share these cores.`,
    '### Targets',
    renderTargets(report.cases),
    ...blocks,
  ].join('\n\n');
}

/** The table of targets: what was measured, and whether it is enough. */
export function renderTargets(cases: CaseReport[]): string {
  const measured = Object.assign({}, ...cases.map((one) => one.measured)) as Partial<Record<TargetId, Measured>>;
  const rows = (Object.keys(TARGETS) as TargetId[]).map((id) => {
    const found = measured[id];
    return [TARGETS[id].title, TARGETS[id].goal, found?.text ?? 'not measured', found ? (found.isMet ? 'yes' : 'no') : '–'];
  });
  return renderRows([['case', 'target', 'measured', 'reached'], ...rows], 4);
}

/** Writes the report for people and for comparison. Answers the file for comparison. */
export function saveReport(report: Report): { json: string; markdown: string } {
  const folder = path.join(import.meta.dirname, '../results');
  fs.mkdirSync(folder, { recursive: true });
  const json = path.join(folder, `${report.at.replaceAll(/[:.]/g, '-')}.json`);
  const markdown = path.join(folder, 'latest.md');
  fs.writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  fs.writeFileSync(markdown, `${renderReport(report)}\n`);
  return { json, markdown };
}
