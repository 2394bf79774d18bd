import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { liveService } from './support/live-service.ts';

/** Every example of the README is compiled, and run against the real service in a process of its own. */
const ROOT = path.join(import.meta.dirname, '../..');
const README = fs.readFileSync(path.join(ROOT, 'sdk/README.md'), 'utf8');
const run = promisify(execFile);

const live = liveService();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-readme-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

interface Example {
  title: string;
  file: string;
  /** What its comments say that it prints. */
  printed: string[];
}

/** All go on from the first, as the README says. */
const examples = [...README.matchAll(/^## ([^\n]+)\n(?:(?!^## )[\s\S])*?^```ts\n([\s\S]*?)^```$/gm)].map(
  ([, title = '', code = '']) => ({ title, code }),
);
const beginning = examples[0]?.code ?? '';

function write({ title, code }: { title: string; code: string }): Example {
  const file = path.join(folder, `${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.ts`);
  const whole = code === beginning ? `${code}\nconsole.log(typeof topgate);\n` : beginning + code;
  fs.writeFileSync(file, whole.replaceAll("'@topgate/client'", `'${path.join(ROOT, 'sdk/src/index.ts')}'`));
  return {
    title,
    file,
    printed: [...code.matchAll(/console\.log\(.*\);(?: break;)? \/\/ (.+)$/gm)].map(([, text = '']) => text),
  };
}

const written = examples.map(write);

test('no example is left out', () => {
  expect(README.match(/^```ts$/gm)).toHaveLength(written.length);
  expect(new Set(written.map(({ file }) => file)).size).toBe(written.length);
});

test('all examples compile, as strictly as we do ourselves', async () => {
  const config = {
    extends: path.join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [path.join(ROOT, 'node_modules/@types')], noUnusedLocals: false },
    include: [`${folder}/*.ts`],
  };
  fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  const compiled = await run(process.execPath, [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe('');
});

describe('the example', () => {
  test.each(written)('$title runs and prints what it says', async ({ file, printed }) => {
    const { reseller } = await live.join();
    const env = { TOPGATE_URL: live.url(), TOPGATE_TOKEN: reseller.token, TOPGATE_SECRET: reseller.secret };
    const { stdout, stderr } = await run(process.execPath, [file], { env, timeout: 20_000 });
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(printed));
  });
});
