import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BITES, type Bite } from '../test/simulation/bites.ts';

/**
 * Shows that the simulation bites: breaks one rule after the other in a copy of the tree, and lets worlds run until one notices.
 * `node scripts/bite-world.ts [number of the bite]`; fails when a broken rule stays unnoticed.
 */
const ROOT = path.join(import.meta.dirname, '..');
const COPIED = ['src', 'test', 'migrations', 'package.json'];
const SEEDS = 150;
const DAYS = 0.5;

function copyTree(): string {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-bite-'));
  for (const name of COPIED) fs.cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

function apply(copy: string, { name, edits }: Bite): void {
  for (const { file, find, replace } of edits) {
    const target = path.join(copy, file);
    const text = fs.readFileSync(target, 'utf8');
    if (text.split(find).length !== 2) throw new Error(`"${name}" does not fit ${file} any more: look for ${find}`);
    fs.writeFileSync(
      target,
      text.replace(find, () => replace),
    );
  }
}

/** What the simulation says of a broken tree; null when it notices nothing. */
function runBroken(bite: Bite): string | null {
  const copy = copyTree();
  try {
    apply(copy, bite);
    const worlds = ['--seed', '1', '--seeds', String(SEEDS), '--days', String(DAYS)];
    const run = spawnSync(process.execPath, ['test/simulation/run.ts', ...worlds], {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    const broken = run.stdout.split('\n').filter((line) => line.startsWith('BROKEN'));
    const again = run.stdout.split('\n').find((line) => line.startsWith('Again'));
    if (run.status !== 0 && broken.length === 0) throw new Error(run.stderr);
    return broken.length === 0 ? null : `${broken[0]}\n  ${again}`;
  } finally {
    fs.rmSync(copy, { recursive: true });
  }
}

const chosen = process.argv[2] === undefined ? BITES : BITES.slice(Number(process.argv[2]) - 1, Number(process.argv[2]));
let unnoticed = 0;
for (const bite of chosen) {
  const found = runBroken(bite);
  if (found === null) unnoticed += 1;
  process.stdout.write(`${bite.name}\n  ${found ?? `not noticed in ${SEEDS} worlds of ${DAYS} days`}\n`);
}
process.exitCode = unnoticed === 0 ? 0 : 1;
