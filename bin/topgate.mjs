#!/usr/bin/env node
// Runs Topgate's command line with a Node.js that can: this one, or the one that `npm ci` installed beside us.
// Plain JavaScript, because an older Node.js must be able to read it.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const entry = path.join(root, 'src/main/cli.ts');
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 24 || (major === 24 && minor >= 12)) {
  await import(entry);
} else {
  const bundled = path.join(root, 'node_modules/.bin/node');
  if (!fs.existsSync(bundled)) {
    console.error(
      `Topgate needs Node.js 24.12 or newer; this is ${process.versions.node}. Run "npm ci" once: it brings the right one.`,
    );
    process.exit(1);
  }
  const child = spawn(bundled, [entry, ...process.argv.slice(2)], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
    process.on(signal, () => child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
