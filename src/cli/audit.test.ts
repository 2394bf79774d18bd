import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { NO_INPUT } from '../../test/support/text-input.ts';
import { systemClock } from '../lib/clock.ts';
import { run } from './index.ts';
import type { Installation } from './installation.ts';

let server: Server;

afterEach(() => server.close());

/** A ledger cannot be broken through the service, so a stand-in answers what it would answer then. */
async function answering(status: number, contentType: string, body: string): Promise<string> {
  server = createServer((_request, response) => response.writeHead(status, { 'content-type': contentType }).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function audit(url: string) {
  const seen = { stdout: '', stderr: '' };
  const code = await run(['audit', '--url', url], {
    env: { ADMIN_TOKEN: 'test-admin-token' },
    stdout: { write: (text) => (seen.stdout += text) },
    stderr: { write: (text) => (seen.stderr += text) },
    clock: systemClock,
    version: '0.0.0-test',
    nodeVersion: process.versions.node,
    installation: {} as Installation,
    input: NO_INPUT,
    interruption: () => new AbortController().signal,
  });
  return { code, ...seen };
}

test('an audit that found a breach names the rows and fails', async () => {
  const data = {
    ok: false,
    checks: [
      { name: 'a reference buys once', ok: true, checked: 12, violations: [] },
      { name: 'no balance was ever negative', ok: false, checked: 40, violations: ['account 7 holds -5'] },
    ],
  };
  const body = JSON.stringify({ status: 200, success: true, message: 'Some invariants are broken', data });
  const { code, stdout, stderr } = await audit(await answering(200, 'application/json', body));
  expect(code).toBe(1);
  expect(stdout).toContain('✓ a reference buys once (12 checked)');
  expect(stdout).toMatch(/✗ no balance was ever negative \(40 checked\)\n +account 7 holds -5/);
  expect(stderr).toContain('1 check of the ledger failed.');
});

test('an address where something else answers is said to be so', async () => {
  const { code, stderr } = await audit(await answering(200, 'text/html', '<h1>It works!</h1>'));
  expect(code).toBe(1);
  expect(stderr).toContain('is not Topgate');
});
