import fs from 'node:fs';
import type { Report } from './report.ts';
import { number, renderRows } from './table.ts';

/** Reads the report of an earlier run. */
export function readReport(file: string): Report {
  const report = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<Report>;
  if (!Array.isArray(report.cases) || report.at === undefined) throw new Error(`${file} is not a report of this benchmark.`);
  return report as Report;
}

/**
 * This run's figures beside another's. Where both have a ratio to the baseline of their own run, the ratios are the ones to
 * compare: the machine may have been slower that day, and the baseline knows.
 */
export function renderComparison(now: Report, before: Report): string {
  const earlier = new Map(before.cases.flatMap(({ name, figures }) => figures.map((figure) => [key(name, figure), figure])));
  const rows = now.cases.flatMap(({ name, figures }) =>
    figures.flatMap((figure) => {
      const old = earlier.get(key(name, figure));
      if (!old) return [];
      return [
        [
          name,
          `${figure.subject}, ${figure.setting}`,
          figure.unit,
          number(old.value),
          number(figure.value),
          change(old.value, figure.value),
          old.ratio === null ? '–' : old.ratio.toFixed(2),
          figure.ratio === null ? '–' : figure.ratio.toFixed(2),
          old.ratio === null || figure.ratio === null ? '–' : change(old.ratio, figure.ratio),
        ],
      ];
    }),
  );
  if (rows.length === 0) return `The run of ${before.at} has no figure in common with this one.`;
  const headings = ['case', '', 'unit', 'before', 'now', 'change', 'ratio before', 'now', 'change'];
  return `Compared with the run of ${before.at}:\n\n${renderRows([headings, ...rows], 3)}`;
}

function key(name: string, { subject, setting }: { subject: string; setting: string }): string {
  return `${name} · ${subject} · ${setting}`;
}

function change(before: number, now: number): string {
  const percent = (now / before - 1) * 100;
  return `${percent >= 0 ? '+' : '−'}${Math.abs(percent).toFixed(0)} %`;
}
