import fs from 'node:fs';
import path from 'node:path';
import type { BenchCase, Context } from './case.ts';
import type { LoadReport, LoadTask } from './load/task.ts';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';
import { readReport, renderComparison } from './report/compare.ts';
import { openProgress, type Progress } from './report/progress.ts';
import { type CaseReport, type Report, renderMachine, renderTargets, saveReport } from './report/report.ts';
import { renderFigures } from './report/table.ts';
import { type Child, startChild } from './system/child.ts';
import { claimFolder, cleanUp, isEnding } from './system/cleanup.ts';
import { openInstallations } from './system/installations.ts';
import { readEmbeddedVersion, readMachine } from './system/machine.ts';
import { openBenchPostgres } from './system/postgres.ts';

const START_AND_STOP_MS = 120_000;
/** Exit code of a program that was ended by Ctrl-C. */
const INTERRUPTED = 130;

/** Measures Topgate and its baselines side by side in one run, on one machine, on one PostgreSQL. */
async function run(options: Options): Promise<boolean> {
  const cases = choose(await readCases(), options);
  const before = options.compareWith === null ? null : readReport(options.compareWith);
  const progress = openProgress(cases, options);
  claimFolder();
  const machine = readMachine();
  const postgres = await openBenchPostgres();
  const versions = { postgres: postgres.version, embedded: await readEmbeddedVersion() };
  console.log(renderMachine(machine, versions));
  const { step } = progress;
  const context: Context = {
    ...options,
    machine,
    postgres,
    installations: openInstallations(postgres, step),
    load: openGenerator(),
    step,
  };
  const report: Report = { at: new Date().toISOString(), plan: options, machine, versions, cases: [] };
  for (const benchCase of cases) report.cases.push(await runCase(benchCase, context, progress));

  console.log(`\nTargets\n\n${renderTargets(report.cases)}\n`);
  if (before !== null) console.log(`${renderComparison(report, before)}\n`);
  const { json, markdown } = saveReport(report);
  console.log(`All of it: ${markdown}; to compare a later run with: ${json}. How to read it: docs/performance.md.`);
  return report.cases.every(({ failure }) => failure === null);
}

/** Every file of `cases/` is a case, in the order of their names. */
async function readCases(): Promise<BenchCase[]> {
  const folder = path.join(import.meta.dirname, 'cases');
  const files = fs.readdirSync(folder).toSorted();
  const modules = await Promise.all(files.map((file) => import(path.join(folder, file)) as Promise<{ benchCase: BenchCase }>));
  return modules.map(({ benchCase }) => benchCase);
}

function choose(all: BenchCase[], { only, isFull, action }: Options): BenchCase[] {
  if (action === 'list') return all;
  if (only === null) return all.filter(({ isLong }) => isFull || !isLong);
  const unknown = only.filter((name) => !all.some((benchCase) => benchCase.name === name));
  if (unknown.length > 0) throw new UsageError(`There is no case ${unknown.join(', ')}. --list names them.`);
  return all.filter(({ name }) => only.includes(name));
}

/** A case that fails is told in the report, and does not take the others with it. */
async function runCase(benchCase: BenchCase, context: Context, progress: Progress): Promise<CaseReport> {
  const { name, title } = benchCase;
  progress.begin(benchCase);
  try {
    const { figures, measured, notes } = await benchCase.run(context);
    console.log(`\n${renderFigures(figures)}\n${notes.map((note) => `${note}\n`).join('')}`);
    return { name, title, failure: null, figures, measured, notes };
  } catch (error) {
    // Interrupted: its processes were ended under it. The process ends as soon as everything is removed.
    if (isEnding()) return new Promise(() => undefined);
    console.error(`  ${name} failed:`, error);
    return { name, title, failure: String(error), figures: [], measured: {}, notes: [] };
  }
}

/** The load generator is started once, and anew only when a server that broke its connections has ended it. */
function openGenerator(): (task: LoadTask) => Promise<LoadReport> {
  let generator: Child | null = null;
  return async (task) => {
    generator ??= startChild('load/generator.ts');
    const limitMs = task.arrivals.warmUpMs + task.arrivals.measureMs + START_AND_STOP_MS;
    const report = await generator.ask<LoadReport>(task, limitMs).catch(async (error: unknown) => {
      await generator?.stop();
      generator = null;
      throw error;
    });
    if (report.wrong > 0) throw new Error(`${report.wrong} answers were wrong; the first:\n${report.firstWrong}`);
    if (report.accepted === 0) throw new Error('Nothing was answered.');
    return report;
  };
}

async function list(options: Options): Promise<void> {
  for (const benchCase of choose(await readCases(), options)) {
    const minutes = (benchCase.estimate(options) / 60).toFixed(1);
    console.log(`${benchCase.name.padEnd(16)} ${benchCase.title} (about ${minutes} min${benchCase.isLong ? ', long' : ''})`);
  }
}

/** Ends everything that was started, then this process: nothing is left behind. */
async function leave(code: number): Promise<never> {
  await cleanUp();
  process.exit(code);
}

async function main(): Promise<void> {
  const interrupt = () => {
    if (isEnding()) return;
    console.log('\nInterrupted: ending all processes and removing all data.');
    void leave(INTERRUPTED);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.on('uncaughtException', (error) => {
    if (isEnding()) return;
    console.error(error);
    void leave(1);
  });
  try {
    const options = readOptions(process.argv.slice(2));
    if (options.action === 'help') return console.log(USAGE);
    if (options.action === 'list') return await list(options);
    const isWell = await run(options);
    await leave(isWell ? 0 : 1);
  } catch (error) {
    if (isEnding()) return;
    console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error);
    await leave(1);
  }
}

await main();
