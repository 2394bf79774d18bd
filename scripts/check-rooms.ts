import fs from 'node:fs';
import path from 'node:path';
import { findTrespasses } from './rooms.ts';

/** Says which files import what their room must not know, and fails then. */
const ROOT = path.join(import.meta.dirname, '..');
const IMPORT = /(?:from|import|import\()\s*'(\.{1,2}\/[^']+\.ts)'/g;

const files = fs
  .readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => path.posix.join('src', file.replaceAll(path.sep, '/')))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

const imports = files.flatMap((from) => {
  const text = fs.readFileSync(path.join(ROOT, from), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, to = '']) => ({ from, to: path.posix.join(path.posix.dirname(from), to) }));
});

const trespasses = findTrespasses(imports);
for (const trespass of trespasses) console.error(trespass);
if (trespasses.length > 0) {
  console.error(`\n${trespasses.length} imports cross the rooms' walls; scripts/rooms.ts says who may know whom.`);
  process.exitCode = 1;
}
