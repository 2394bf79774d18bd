import { parseArgs } from 'node:util';
import { request } from 'undici';
import { SECOND_MS, systemClock } from '../../src/lib/clock.ts';
import { SUPPLIER_KINDS } from '../../src/main/supplier-kinds.ts';
import type { CallbackMessage } from '../../src/suppliers/supplier.ts';
import { DIALECTS } from './dialects.ts';
import { createFaultsByScene, fateByScene, refuseTooFast, SCENES } from './scenes.ts';
import { Simulator } from './simulator.ts';

const USAGE = `Usage: npm run simulate -- <supplier> [--port 4010] [--callback URL] [--duplicates] [--forgeries] [--gap SECONDS]

Runs a supplier that delivers nothing and speaks the dialect of: ${DIALECTS.map(({ kind }) => kind).join(', ')}.

  --port        where it listens on 127.0.0.1; 4010 when not given
  --callback    the callback address that Topgate shows for the supplier (supplier show <code>)
  --duplicates  sends every callback twice
  --forgeries   sends a forged callback before every true one
  --gap         refuses an order that comes sooner after the last one, as VIP Reseller does within 6 seconds`;

const CALLBACK_LIMIT_MS = 10_000;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    port: { type: 'string', default: '4010' },
    callback: { type: 'string' },
    duplicates: { type: 'boolean', default: false },
    forgeries: { type: 'boolean', default: false },
    gap: { type: 'string', default: '0' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const dialect = DIALECTS.find(({ kind }) => kind === positionals[0]);
const kind = SUPPLIER_KINDS.find((candidate) => candidate.kind === dialect?.kind);
if (!dialect || !kind || values.help) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(values.help ? 0 : 2);
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const fateOf = refuseTooFast(fateByScene, systemClock, Number(values.gap) * SECOND_MS);
const simulator = new Simulator(dialect, { clock: systemClock, fateOf, faultOf: createFaultsByScene() });
simulator.shop.onChange = (order, state) => {
  print(`order ${order.id} (${order.reference ?? 'no reference'}) is ${state}`);
  const messages = [
    ...(values.forgeries && dialect.forgedCallback ? [dialect.forgedCallback(simulator.shop, order)] : []),
    ...(dialect.callback ? [dialect.callback(simulator.shop, order)] : []),
    ...(values.duplicates && dialect.callback ? [dialect.callback(simulator.shop, order)] : []),
  ];
  if (values.callback !== undefined) void tellAll(values.callback, messages);
};

/** Another simulator may be at work already, as each takes the same port unless it is told another one. */
async function listen(port: number) {
  try {
    return await simulator.listen(port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EADDRINUSE') throw error;
    process.stderr.write(
      `Port ${port} is taken, perhaps by another simulator: choose another one with --port, for instance --port ${port + 1}.\n`,
    );
    process.exit(1);
  }
}

async function tellAll(url: string, messages: CallbackMessage[]): Promise<void> {
  for (const { method, headers, query, rawBody } of messages) {
    const address = new URL(url);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    try {
      const { statusCode, body } = await request(address, {
        method: method as 'POST',
        headers,
        ...(method !== 'GET' && { body: rawBody }),
        signal: AbortSignal.timeout(CALLBACK_LIMIT_MS),
      });
      print(`callback: HTTP ${statusCode} ${await body.text()}`);
    } catch (error) {
      print(`callback: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

const answer = simulator.dialect.answer;
simulator.dialect.answer = (shop, received) => {
  const answered = answer.call(dialect, shop, received);
  print(`${received.method} ${received.path}${received.query.size > 0 ? `?${received.query}` : ''} ${received.body}`);
  print(`  HTTP ${answered.status} ${answered.body}`);
  return answered;
};

const served = await listen(Number(values.port));
const [item] = dialect.items;
const settings = Object.entries({ base_url: served.url, ...dialect.config }).map(([key, value]) => `--set ${key}=${value}`);
print(`${kind.label}, simulated, on ${served.url}. Nothing is delivered; stop with Ctrl-C.

Add it to a Topgate on this machine:
  npm run topgate -- supplier add sim --kind ${kind.kind} ${settings.join(' ')}
  npm run topgate -- route set MLBB-85 sim:${item?.sku}:${item?.price}

Items: ${dialect.items.map(({ sku, price, available }) => `${sku} (${price}${available ? '' : ', sold out'})`).join(', ')}
The last four characters of the player's id or zone, as the supplier gets them (some as one), choose what happens; anything else
is delivered at once:
${Object.entries(SCENES)
  .map(([ending, { plays }]) => `  ${ending}  ${plays}`)
  .join('\n')}
`);
