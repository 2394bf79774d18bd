import { spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { newWebhookSecret, verifyWebhook } from '../../sdk/src/index.ts';
import { openInMemory, type TestDatabase } from '../../test/support/engines.ts';
import { freePort } from '../../test/support/postgres-server.ts';
import { openTestService, type TestReseller, type TestService, until } from '../../test/support/service.ts';
import { NO_INPUT } from '../../test/support/text-input.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { run } from './index.ts';
import type { Installation } from './installation.ts';

let database: TestDatabase;
let topgate: TestService;
let url: string;
let receiver: Receiver | null = null;

beforeAll(async () => {
  database = await openInMemory();
  topgate = await openTestService(database);
  url = await topgate.service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(async () => {
  await receiver?.close();
  receiver = null;
});
afterAll(async () => {
  await topgate.stop();
  await database.drop();
});

interface Delivery {
  headers: IncomingHttpHeaders;
  body: string;
}

interface Receiver {
  taken: Delivery[];
  close(): Promise<void>;
}

/** A developer's server, which answers every webhook with `status`. */
async function receive(port: number, status: () => number = () => 204): Promise<Receiver> {
  const taken: Delivery[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    taken.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
    response.writeHead(status()).end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  receiver = {
    taken,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}

/** Starts `topgate listen` as a person would. `onWait` is called at each wait, which takes no time. */
function start(reseller: TestReseller, argv: string[], onWait: () => Promise<unknown> = () => nextTurn()) {
  const seen = { stdout: '', stderr: '' };
  const ending = new AbortController();
  const clock: Clock = {
    now: () => systemClock.now(),
    async sleep() {
      await onWait();
    },
  };
  const exited = run(['listen', ...argv], {
    env: { TOPGATE_URL: url, TOPGATE_TOKEN: reseller.token },
    stdout: { write: (text) => (seen.stdout += text) },
    stderr: { write: (text) => (seen.stderr += text) },
    clock,
    version: '0.0.0-test',
    nodeVersion: process.versions.node,
    installation: {} as Installation,
    input: NO_INPUT,
    interruption: () => ending.signal,
  });
  return {
    seen,
    exited,
    lines: () => seen.stdout.split('\n').filter((line) => line !== ''),
    begun: () => until(async () => seen.stderr.includes('Press Ctrl-C'), 'it listens'),
    end() {
      ending.abort();
      return exited;
    },
  };
}

describe('topgate listen', () => {
  test('sends on what happens from now on, signed as a webhook, until it is interrupted', async () => {
    const port = await freePort();
    const { taken } = await receive(port);
    const reseller = await topgate.reseller();
    const listener = start(reseller, ['--forward-to', `http://127.0.0.1:${port}/hook`]);
    await listener.begun();
    await reseller.order({ ref_id: 'INV-1' });
    await until(async () => listener.lines().length === 1, 'the event arrived');
    expect(await listener.end()).toBe(0);

    const secret = /whsec_\S+/.exec(listener.seen.stderr)?.[0] ?? '';
    const [delivery] = taken;
    const event = await verifyWebhook(delivery?.body ?? '', delivery?.headers ?? {}, secret);
    const { body } = await reseller.get('/api/events?after=1');
    expect(event).toEqual(body.data[0]);
    expect(delivery?.headers['content-type']).toBe('application/json');
    expect(listener.lines()).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}order\.success {5}#2 {2}INV-1 {2}204 {2}\d+ ms$/),
    ]);
    expect(listener.seen.stderr).toContain('Events after number 1 go to');
    expect(listener.seen.stderr).toContain('--after 2');
  });

  test('begins where it is told, sends only the wanted types, with the secret it was given', async () => {
    const port = await freePort();
    const { taken } = await receive(port);
    const reseller = await topgate.reseller();
    await reseller.order({ ref_id: 'GOOD' });
    await reseller.order({ ref_id: 'BAD', user_id: '123450006' });
    await until(async () => (await reseller.get('/api/events')).body.data.length === 3, 'both orders are done');
    const secret = newWebhookSecret();
    const options = ['--after', '0', '--types', 'order.failed, balance.credited', '--secret', secret, '--json'];
    const listener = start(reseller, ['--forward-to', `http://127.0.0.1:${port}`, ...options]);
    await until(async () => listener.lines().length === 2, 'both events arrived');
    expect(await listener.end()).toBe(0);
    expect(listener.lines().map((line) => JSON.parse(line))).toMatchObject([
      { type: 'balance.credited', sequence: 1, ref_id: null, status: 204 },
      { type: 'order.failed', ref_id: 'BAD', status: 204 },
    ]);
    for (const { body, headers } of taken) await verifyWebhook(body, headers, secret);
  });

  test('waits for a server that is down: nothing is skipped, and the order is kept', async () => {
    const port = await freePort();
    const reseller = await topgate.reseller();
    for (const refId of ['A', 'B', 'C']) await reseller.order({ ref_id: refId });
    await until(async () => (await reseller.get('/api/events')).body.data.length === 4, 'all orders are done');
    let waits = 0;
    const listener = start(reseller, ['--forward-to', `http://127.0.0.1:${port}`, '--after', '1', '--json'], async () => {
      waits += 1;
      if (waits === 2) await receive(port);
      await nextTurn();
    });
    await until(async () => listener.lines().length === 5, 'all events arrived');
    expect(await listener.end()).toBe(0);
    const records = listener.lines().map((line) => JSON.parse(line));
    expect(records.map(({ sequence, status }) => [sequence, status])).toEqual([
      [2, null],
      [2, null],
      [2, 204],
      [3, 204],
      [4, 204],
    ]);
    expect(records[0].reason).toBe('ECONNREFUSED');
    expect(receiver?.taken.map(({ body }) => JSON.parse(body).sequence)).toEqual([2, 3, 4]);
  });

  test('gives up on a server that stays down, and says how to go on without missing an event', async () => {
    const reseller = await topgate.reseller();
    const listener = start(reseller, ['--forward-to', `http://127.0.0.1:${await freePort()}`, '--after', '0']);
    expect(await listener.exited).toBe(1);
    expect(listener.lines()).toHaveLength(5);
    expect(listener.seen.stderr).toMatch(/Nothing answers at .* so event number 1 waits\.\n.*--after 0/);
  });

  test('shows an answer that is not good, and goes on', async () => {
    const port = await freePort();
    const statuses = [500, 302, 200];
    const { taken } = await receive(port, () => statuses[taken.length - 1] ?? 200);
    const reseller = await topgate.reseller();
    for (const refId of ['A', 'B']) await reseller.order({ ref_id: refId });
    const listener = start(reseller, ['--forward-to', `http://127.0.0.1:${port}`, '--after', '0', '--json']);
    await until(async () => listener.lines().length === 3, 'all events arrived');
    expect(await listener.end()).toBe(0);
    expect(listener.lines().map((line) => JSON.parse(line).status)).toEqual(statuses);
  });

  test('tells at once of a wrong token, and of a Topgate that does not answer', async () => {
    const reseller = await topgate.reseller();
    const forward = ['--forward-to', 'http://127.0.0.1:4000'];
    const refused = start({ ...reseller, token: 'tg_test_wrong' }, [...forward, '--after', '0']);
    expect(await refused.exited).toBe(1);
    expect(refused.seen.stderr).toMatch(/unauthenticated[\s\S]*TOPGATE_TOKEN/);
    const silent = start(reseller, [...forward, '--url', `http://127.0.0.1:${await freePort()}`]);
    expect(await silent.exited).toBe(1);
    expect(silent.seen.stderr).toContain('is it running?');
  });

  test('ends at an interrupt in a process of its own, also beside a launcher that stays', async () => {
    const reseller = await topgate.reseller();
    const program = path.join(import.meta.dirname, '../main/cli.ts');
    const child = spawn(process.execPath, [program, 'listen', '--forward-to', 'http://127.0.0.1:4000'], {
      env: { TOPGATE_URL: url, TOPGATE_TOKEN: reseller.token },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    let told = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      if (told.includes('Press Ctrl-C') && !child.killed) child.kill('SIGINT');
    });
    expect(await exited).toBe(0);
    expect(told).toContain('Ended after number 1.');
  });

  test.each([
    [['--types', 'order.succes'], 'There is no type'],
    [['--secret', 'tgs_secret'], 'whsec_<base64>'],
    [['--after', '-1'], 'Give the number of an event'],
    [['--after', '1', '--since-start'], 'cannot be used with'],
  ])('refuses %j', async (argv, message) => {
    const listener = start(await topgate.reseller(), ['--forward-to', 'http://127.0.0.1:4000', ...argv]);
    expect(await listener.exited).toBe(1);
    expect(listener.seen.stderr).toContain(message);
  });
});
