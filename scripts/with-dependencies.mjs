// Runs a script of this project after making sure that its dependencies are installed, so that a fresh clone needs one command.
//   node scripts/with-dependencies.mjs bin/topgate.mjs serve
// Plain JavaScript, because on a fresh machine it runs before the right Node.js is there: `npm ci` brings that one too.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const installed = path.join(root, 'node_modules/.package-lock.json');
const bundledNode = path.join(root, 'node_modules/.bin/node');

function isInstalled() {
  if (!fs.existsSync(installed) || !fs.existsSync(bundledNode)) return false;
  return fs.statSync(installed).mtimeMs >= fs.statSync(path.join(root, 'package-lock.json')).mtimeMs;
}

function parentOf(pid) {
  const listed = spawnSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' });
  return process.env.npm_lifecycle_event === undefined ? 0 : Number(listed.stdout?.trim() || 0);
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

if (!isInstalled()) {
  console.log('Installing dependencies, the first time only (a minute or so) …');
  // The errors still show; the warnings about the older Node.js that runs npm do not matter, as it runs nothing else.
  const arguments_ = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const result = spawnSync('npm', arguments_, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) {
    console.error(
      'The dependencies could not be installed. Check the network or the npm registry, then run the same command again.',
    );
    process.exit(result.status ?? 1);
  }
  fs.utimesSync(installed, new Date(), new Date());
}

const child = spawn(bundledNode, process.argv.slice(2), { cwd: root, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
  process.on(signal, () => child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
// npm runs this through a shell and does not pass every signal on. When either is gone, the service was meant.
const starters = [process.ppid, parentOf(process.ppid)].filter((pid) => pid > 1);
setInterval(() => starters.every(isAlive) || child.kill('SIGTERM'), 250).unref();
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
