import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** What would be published, built and packed as for publishing. */
const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

let folder: string;
let tarball: string;
let files: string[];

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'topgate-package-'));
  const source = path.join(folder, 'source');
  fs.mkdirSync(source);
  for (const file of ['package.json', 'README.md', 'LICENSE'])
    fs.copyFileSync(path.join(ROOT, 'sdk', file), path.join(source, file));
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', path.join(ROOT, 'sdk/tsconfig.build.json'), '--outDir', path.join(source, 'dist')]);
  const { stdout } = await run('npm', ['pack', '--json', '--offline', '--pack-destination', folder], { cwd: source });
  const packed: unknown = JSON.parse(stdout);
  const [first] = (Array.isArray(packed) ? packed : Object.values(packed as object)) as {
    filename: string;
    files: { path: string }[];
  }[];
  tarball = path.join(folder, path.basename(first?.filename ?? ''));
  files = first?.files.map((file) => file.path) ?? [];
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

test('the package holds the built library, its types and its papers, and nothing else', () => {
  const sources = fs
    .readdirSync(path.join(ROOT, 'sdk/src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `dist/${file.replaceAll(path.sep, '/').replace(/\.ts$/, '')}`);
  const built = sources.flatMap((file) => [`${file}.js`, `${file}.d.ts`]);
  expect(files.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json', ...built].toSorted());
});

test('publint has nothing to say', async () => {
  const data = fs.readFileSync(tarball);
  const pack = { tarball: data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) };
  const { messages, pkg } = await publint({ pack, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test('its types are found by every way of resolving modules that knows ES modules', async () => {
  const analysis = await checkPackage(createPackageFromTarballData(fs.readFileSync(tarball)));
  if (!analysis.types) throw new Error('The package has no types.');
  // It is for ES modules alone: the old resolution of Node.js 10, and require, are not its audience.
  const problems = analysis.problems.filter(
    (problem) => !('resolutionKind' in problem) || ['node16-esm', 'bundler'].includes(problem.resolutionKind),
  );
  expect(problems).toEqual([]);
});

test('it is imported by its name, and depends on nothing', async () => {
  const user = path.join(folder, 'user');
  fs.mkdirSync(user);
  fs.writeFileSync(path.join(user, 'package.json'), '{"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball], { cwd: user });
  expect(fs.readdirSync(path.join(user, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@topgate']);
  fs.writeFileSync(
    path.join(user, 'main.js'),
    "import { Topgate, verifyWebhook } from '@topgate/client';\n" +
      "console.log(typeof new Topgate({ baseUrl: 'https://topgate.example', token: 'tg_test_x' }).orders.create, typeof verifyWebhook);\n",
  );
  const { stdout } = await run(process.execPath, ['main.js'], { cwd: user });
  expect(stdout).toBe('function function\n');
});

test('its version is the one of the project', () => {
  const versionOf = (file: string) => JSON.parse(fs.readFileSync(path.join(ROOT, file), 'utf8')).version;
  expect(versionOf('sdk/package.json')).toBe(versionOf('package.json'));
});
