import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { required } from '../src/lib/assert.ts';
import { SECOND_MS } from '../src/lib/clock.ts';
import { SIGNATURE_VECTORS } from '../src/resellers/index.ts';
import { openInMemory, type TestDatabase } from './support/engines.ts';
import { openReceiver } from './support/receiver.ts';
import { openTestService, type TestReseller, type TestService, until } from './support/service.ts';

/** The examples, run as their readers run them, against a service that really listens. */
const EXAMPLES = path.join(import.meta.dirname, '../examples');
const CHILD_LIMIT_MS = 50 * SECOND_MS;
const TEST_LIMIT_MS = 120 * SECOND_MS;

/** A program that an example needs: how to ask for its version, and the oldest one that will do. */
interface Tool {
  ask: [string, ...string[]];
  version: RegExp;
  least: [number, number];
}

interface Language {
  name: string;
  command: [string, ...string[]];
  tools: Tool[];
}

const LANGUAGES: Language[] = [
  {
    name: 'curl',
    command: ['bash', 'curl/topgate.sh'],
    tools: [
      { ask: ['bash', '--version'], version: /version (\d+)\.(\d+)/, least: [3, 2] },
      { ask: ['curl', '--version'], version: /curl (\d+)\.(\d+)/, least: [7, 55] },
      { ask: ['openssl', 'version'], version: /SSL (\d+)\.(\d+)/, least: [1, 1] },
      { ask: ['jq', '--version'], version: /jq-(\d+)\.(\d+)/, least: [1, 6] },
    ],
  },
  {
    name: 'typescript',
    command: [process.execPath, 'typescript/topgate.ts'],
    tools: [{ ask: [process.execPath, '--version'], version: /v(\d+)\.(\d+)/, least: [22, 18] }],
  },
  {
    name: 'php',
    command: ['php', 'php/topgate.php'],
    tools: [
      {
        ask: ['php', '-r', 'echo extension_loaded("curl") ? "PHP " . PHP_VERSION : "no curl extension";'],
        version: /PHP (\d+)\.(\d+)/,
        least: [8, 1],
      },
    ],
  },
  {
    name: 'python',
    command: ['python3', 'python/topgate.py'],
    tools: [{ ask: ['python3', '--version'], version: /Python (\d+)\.(\d+)/, least: [3, 9] }],
  },
  {
    name: 'go',
    command: ['go', 'run', 'go/topgate.go'],
    tools: [{ ask: ['go', 'version'], version: /go(\d+)\.(\d+)/, least: [1, 19] }],
  },
  {
    name: 'java',
    command: ['java', 'java/Topgate.java'],
    tools: [{ ask: ['java', '--version'], version: /(\d+)(?:\.(\d+))?/, least: [17, 0] }],
  },
  {
    name: 'csharp',
    command: ['dotnet', 'run', 'csharp/topgate.cs', '--'],
    tools: [{ ask: ['dotnet', '--version'], version: /^(\d+)\.(\d+)/, least: [10, 0] }],
  },
];

/** Why a tool cannot be used, or null when it can. */
function lack({ ask: [program, ...values], version, least }: Tool): string | null {
  const name = path.basename(program);
  const answer = spawnSync(program, values, { encoding: 'utf8', timeout: CHILD_LIMIT_MS });
  const [, major, minor = '0'] = (answer.status === 0 && version.exec(answer.stdout)) || [];
  const wanted = `${name} ${least.join('.')} or later`;
  if (major === undefined) return `${wanted} is not there`;
  const enough = Number(major) > least[0] || (Number(major) === least[0] && Number(minor) >= least[1]);
  return enough ? null : `${wanted} is not there, but ${major}.${minor}`;
}

const CHECKED = LANGUAGES.map((language) => ({ language, missing: language.tools.map(lack).find((reason) => reason !== null) }));

interface Result {
  code: number | null;
  output: string;
  errors: string;
}

function run(
  { command: [program, ...before] }: Language,
  values: string[],
  settings: Record<string, string> = {},
): Promise<Result> {
  const { PATH = '', HOME = os.homedir() } = process.env;
  const env = {
    PATH,
    HOME,
    LC_ALL: 'C.UTF-8',
    GOPROXY: 'off',
    GOTOOLCHAIN: 'local',
    DOTNET_NOLOGO: '1',
    DOTNET_CLI_TELEMETRY_OPTOUT: '1',
    ...settings,
  };
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [...before, ...values],
      { cwd: EXAMPLES, env, timeout: CHILD_LIMIT_MS },
      (_failure, output, errors) => resolve({ code: child.exitCode, output, errors }),
    );
  });
}

interface WebhookVector {
  name: string;
  secret: string;
  id: string;
  timestamp: string;
  body: string;
  signature: string;
  now: number;
  valid: boolean;
}

const read = (name: string) => JSON.parse(fs.readFileSync(path.join(EXAMPLES, name), 'utf8'));
const WEBHOOK_VECTORS: WebhookVector[] = read('webhook-vectors.json');

test('the signature vectors are those of the service', () => {
  expect(read('signature-vectors.json')).toEqual(SIGNATURE_VECTORS);
});

test('the readme lists every language', () => {
  const readme = fs.readFileSync(path.join(EXAMPLES, 'README.md'), 'utf8');
  for (const { command } of LANGUAGES) {
    const file = required(
      command.find((part) => part.includes('/topgate.') || part.includes('/Topgate.')),
      'an example is a file',
    );
    expect(readme).toContain(`](${file})`);
  }
});

describe('the webhook vectors', () => {
  afterEach(() => vi.useRealTimers());

  test.each(WEBHOOK_VECTORS)('are what the Standard Webhooks library says, valid $valid: $name', (vector) => {
    vi.useFakeTimers({ now: vector.now * SECOND_MS, toFake: ['Date'] });
    const library = new Webhook(vector.secret);
    const headers = { 'webhook-id': vector.id, 'webhook-timestamp': vector.timestamp, 'webhook-signature': vector.signature };
    const verify = () => library.verify(vector.body, headers);
    if (!vector.valid) return expect(verify).toThrow();
    expect(verify()).toEqual(JSON.parse(vector.body));
    const produced = library.sign(vector.id, new Date(Number(vector.timestamp) * SECOND_MS), vector.body);
    expect(vector.signature.split(' ')).toContain(produced);
  });
});

/** What the service really sends, while a secret is being rotated, about a player whose name is not ASCII. */
async function takeDelivery(server: TestService): Promise<WebhookVector[]> {
  const receiver = await openReceiver();
  const reseller = await server.reseller();
  const created = await reseller.post('/api/webhook', { url: receiver.url, types: ['order.success'] });
  const rotated = await reseller.post(`/api/webhook/${created.body.data.webhook_id}/rotate-secret`, undefined);
  await reseller.order({ service_code: 'VAL-475', user_id: 'Késar#0001', zone: '' });
  await until(async () => receiver.received.length > 0, 'the webhook arrives');
  await receiver.close();
  const { headers, body } = required(receiver.received[0], 'a delivery');
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signature = '' } = headers;
  const delivered = { id, timestamp, body, signature, now: Number(timestamp), valid: true };
  return [
    { ...delivered, name: 'delivered, the new secret', secret: rotated.body.data.secret },
    { ...delivered, name: 'delivered, the old secret', secret: created.body.data.secret },
  ];
}

/**
 * All vectors, what the service delivered, and after them a few that a good implementation must find fault with: so a
 * single run shows that it accepts, refuses and complains.
 */
function writeVectorsWithMistakes(folder: string, delivered: WebhookVector[]): void {
  const [signature] = SIGNATURE_VECTORS;
  const good = required(
    WEBHOOK_VECTORS.find(({ valid }) => valid),
    'there are deliveries to accept',
  );
  const bad = required(
    WEBHOOK_VECTORS.find(({ valid }) => !valid),
    'there are deliveries to refuse',
  );
  const signatures = [...SIGNATURE_VECTORS, { ...signature, order: { ...signature.order, ref_id: 'MISTAKE' } }];
  const webhooks = [
    ...WEBHOOK_VECTORS,
    ...delivered,
    { ...good, name: 'wrongly refused', valid: false },
    { ...bad, name: 'wrongly accepted', valid: true },
  ];
  fs.writeFileSync(path.join(folder, 'signature-vectors.json'), JSON.stringify(signatures));
  fs.writeFileSync(path.join(folder, 'webhook-vectors.json'), JSON.stringify(webhooks));
}

/**
 * Stands between an example and the service, and is as bad as a line can be: of the first order it loses the answer, and to
 * the first question about an order it answers itself, not in JSON.
 */
async function openBadLine(target: string) {
  const orders: string[] = [];
  let questions = 0;
  const server = http.createServer(async (request, response) => {
    const body = await text(request);
    const isOrder = request.method === 'POST';
    if (isOrder) orders.push(body);
    if (request.url?.startsWith('/api/order/status') && ++questions === 1) {
      response.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'text/html' }).end('<html>Back soon</html>');
      return;
    }
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization: request.headers.authorization ?? '', ...(isOrder && { 'content-type': 'application/json' }) },
      ...(isOrder && { body }),
    });
    if (isOrder && orders.length === 1) request.socket.destroy();
    else response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    orders,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

describe('an example', () => {
  let opened: TestDatabase;
  let server: TestService;
  let url: string;
  let vectorsWithMistakes: string;

  beforeAll(async () => {
    for (const { language, missing } of CHECKED)
      console.log(
        missing === undefined ? `The ${language.name} example is run.` : `The ${language.name} example is NOT RUN: ${missing}.`,
      );
    opened = await openInMemory();
    server = await openTestService(opened);
    const [header, ...rows] = fs.readFileSync(path.join(EXAMPLES, '../catalogue/catalogue.csv'), 'utf8').split('\n');
    const csv = [header, ...rows.filter((row) => row.startsWith('VAL,'))].join('\n');
    await server.admin('POST', '/admin/api/catalog/import', { csv });
    url = await server.service.app.listen({ port: 0, host: '127.0.0.1' });
    vectorsWithMistakes = fs.mkdtempSync(path.join(os.tmpdir(), 'vectors-'));
    writeVectorsWithMistakes(vectorsWithMistakes, await takeDelivery(server));
  });

  afterAll(async () => {
    fs.rmSync(vectorsWithMistakes, { recursive: true });
    await server.stop();
    await opened.drop();
  });

  const settings = (reseller: TestReseller, over: Record<string, string> = {}) => ({
    TOPGATE_URL: url,
    TOPGATE_TOKEN: reseller.token,
    TOPGATE_SECRET: reseller.secret,
    ...over,
  });

  describe.concurrent.each(CHECKED)('in $language.name', ({ language, missing }) => {
    const title = (name: string) => (missing === undefined ? name : `${name} (not run: ${missing})`);
    const check = missing === undefined ? test : test.skip;

    check(
      title('buys once over a bad line, with text beyond ASCII, and again gets the same order'),
      { timeout: TEST_LIMIT_MS },
      async ({ expect }) => {
        const reseller = await server.reseller({ balance: 1_000_000 });
        const line = await openBadLine(url);
        const values = ['order', 'VAL-475', 'Késar#0001', '', `EX-${language.name}`];
        const first = await run(language, values, settings(reseller, { TOPGATE_URL: line.url }));
        await line.close();
        expect(first).toMatchObject({ code: 0, errors: '' });
        const [service, placed, ended] = first.output.trim().split('\n');
        const { data: orders } = (await reseller.get('/api/order')).body;
        expect(orders).toMatchObject([{ ref_id: `EX-${language.name}`, status: 'Success', price: 56_000 }]);
        expect(service).toBe('475 VP: 56000, Available');
        expect(placed).toMatch(new RegExp(`^EX-${language.name} is ${orders[0].order_id}: (Process|Success)$`));
        expect(ended).toBe(`Success ${orders[0].serial_number}`);
        expect(line.orders).toHaveLength(2);
        expect(line.orders[1]).toBe(line.orders[0]);
        expect(JSON.parse(line.orders[0] ?? '')).toMatchObject({ max_price: 56_000 });

        const again = await run(language, values, settings(reseller));
        expect(again).toMatchObject({ code: 0, errors: '' });
        expect(again.output).toContain(`is ${orders[0].order_id}: Success`);
        expect((await reseller.get('/api/order')).body.data).toHaveLength(1);
        expect(await reseller.balance()).toBe(1_000_000 - 56_000);
      },
    );

    check(
      title('shows a refusal by its code and request id, and does not insist'),
      { timeout: TEST_LIMIT_MS },
      async ({ expect }) => {
        const reseller = await server.reseller();
        const refused = await run(
          language,
          ['order', 'MLBB-85', '123450001', '2001'],
          settings(reseller, { TOPGATE_SECRET: 'tgs_wrong' }),
        );
        expect(refused.code).toBe(1);
        expect(refused.errors).toMatch(/^invalid_signature: .* \(HTTP 401, request_id [0-9a-f-]{36}\)/);
        expect((await reseller.get('/api/order')).body.data).toEqual([]);
      },
    );

    check(title('lists services with prices'), { timeout: TEST_LIMIT_MS }, async ({ expect }) => {
      const reseller = await server.reseller();
      const services = await run(language, ['services', 'MLBB'], settings(reseller));
      expect(services).toMatchObject({ code: 0, errors: '' });
      expect(services.output.split('\n')).toContain('MLBB-85  23600  Available  85 Diamonds (77+8)');
    });

    check(title('agrees with every vector, and names those with a mistake'), { timeout: TEST_LIMIT_MS }, async ({ expect }) => {
      const checked = await run(language, ['vectors', vectorsWithMistakes]);
      const signatures = SIGNATURE_VECTORS.length + 1;
      const webhooks = WEBHOOK_VECTORS.length + 4;
      expect(checked.code).toBe(1);
      expect(checked.output.trim().split('\n')).toEqual([
        'wrong: MISTAKE',
        'wrong: wrongly refused',
        'wrong: wrongly accepted',
        `${signatures} signatures, ${webhooks} webhooks, 3 wrong`,
      ]);
    });
  });
});
