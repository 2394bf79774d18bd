import type { Command } from 'commander';
import { examples } from '../arguments.ts';
import { examine, type Finding, type Level } from '../doctor/index.ts';
import { CommandError } from '../errors.ts';
import { count } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { createOutput, joinBlocks } from '../output.ts';
import { displayWidth, type Paint, type Tone } from '../table.ts';

const TONES: Record<Level, Tone> = { ok: 'good', warning: 'warning', problem: 'bad', skipped: 'quiet' };
const WORDS: Record<Level, string> = { ok: 'ok', warning: 'warning', problem: 'PROBLEM', skipped: 'not seen' };

/** `topgate doctor`: whether this machine's installation is well, and what to do where it is not. */
export function addDoctorCommand(program: Command, deps: ProgramDeps): void {
  program
    .command('doctor')
    .description('examine this installation and say what to do')
    .option('--url <address>', 'where Topgate answers (or TOPGATE_URL; default http://127.0.0.1:$PORT)')
    .option('--json', 'print the data as JSON and nothing else')
    .addHelpText('after', `${examples('doctor')}\n\nThe exit code is 1 when there is a problem. Nothing is changed.`)
    .action((options: { url?: string; json?: boolean }) => run(deps, options));
}

async function run(deps: ProgramDeps, options: { url?: string; json?: boolean }): Promise<void> {
  const output = createOutput(deps, options.json === true);
  const findings = await examine(deps, options.url);
  const problems = findings.filter(({ level }) => level === 'problem').length;
  output.result({ ok: problems === 0, findings }, () => renderFindings(findings, output.paint));
  if (problems > 0) throw new CommandError(`${count(problems, 'problem')} found.`);
}

/** A line for each finding; under those that need something, what to do. */
export function renderFindings(findings: Finding[], paint: Paint): string {
  const levelWidth = Math.max(...Object.values(WORDS).map(displayWidth));
  const nameWidth = Math.max(...findings.map(({ name }) => displayWidth(name)));
  const indent = ' '.repeat(levelWidth + nameWidth + 6);
  const lines = findings.flatMap(({ level, name, text, advice }) => [
    `  ${paint(TONES[level], WORDS[level].padEnd(levelWidth))}  ${name.padEnd(nameWidth)}  ${text.replaceAll('\n', `\n${indent}`)}`,
    ...(advice === null ? [] : [`${indent}${paint('strong', '→')} ${advice}`]),
  ]);
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  const isWell = findings.every(({ level }) => level !== 'problem');
  const closing = warnings === 0 ? 'All is well.' : `No problem, ${count(warnings, 'warning')}.`;
  return joinBlocks(lines.join('\n'), isWell ? closing : null);
}
