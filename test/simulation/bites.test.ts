import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BITES } from './bites.ts';

const ROOT = path.join(import.meta.dirname, '../..');

test.each(BITES)('the rule that is broken on purpose is still there to be broken: $name', ({ edits }) => {
  for (const { file, find } of edits) expect(fs.readFileSync(path.join(ROOT, file), 'utf8').split(find)).toHaveLength(2);
});
