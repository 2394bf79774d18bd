import { parseArgs } from 'node:util';
import { openMemory } from '../src/db/embedded/engine.ts';
import { MAX_CALLS_PER_ENDPOINT } from '../src/webhooks/deliverer.ts';
import { type CaseSettings, runBaselineCase, runServerCase } from './cases.ts';
import type { Plan } from './closed-loop.ts';
import { type Machine, readMachine } from './machine.ts';
import { type BenchPostgres, openBenchPostgres } from './postgres.ts';
import { type Result, renderTable, saveResults, type Versions, WORKLOADS, type Workload } from './report.ts';
import { runBareCase, runWebhookCase } from './webhook-cases.ts';
import { renderWebhooks, WEBHOOK_WORKLOADS, type WebhookResult, type WebhookWorkload } from './webhook-report.ts';

const USAGE = 'Usage: npm run bench -- [--seconds N] [--connections N] [--only embedded|postgres] [--workload orders|webhooks]';
const WARM_UP_MS = 1_500;
const IDLE_ORDERS = 200;
const IDLE_LIMIT_MS = 30_000;
/** The usual pool size, and a larger one, so that the baseline is not held back by the choice. */
const BASELINE_CONNECTIONS = [16, 64];

/** The calls that Topgate makes at once to an endpoint, and one at a time, where there are many endpoints. */
const BARE_CONNECTIONS: Record<WebhookWorkload, number[]> = {
  'one-endpoint': [MAX_CALLS_PER_ENDPOINT],
  'many-endpoints': [MAX_CALLS_PER_ENDPOINT, 1],
  'one-webhook': [1],
};
const HANGING = 5;

interface Options {
  seconds: number;
  connections: number;
  engines: ('embedded' | 'postgres')[];
  workloads: ('orders' | 'webhooks')[];
}

/** Measures the baseline and Topgate side by side in one run, on one machine, on one PostgreSQL. */
async function run(options: Options): Promise<void> {
  const machine = readMachine();
  const postgres = await openBenchPostgres();
  // Without its database the running case fails at once or with its last order, and everything is cleaned up on the way out.
  const interrupt = () => void postgres.stop();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    const versions = { postgres: postgres.version, embedded: await readEmbeddedVersion() };
    console.log(describe(machine, versions));
    const orders = options.workloads.includes('orders') ? await runOrders(options, postgres) : [];
    const webhooks = options.workloads.includes('webhooks') ? await runWebhooks(options, postgres) : [];
    const tables = [
      ...(orders.length > 0 ? [renderTable(orders)] : []),
      ...(webhooks.length > 0 ? [renderWebhooks(webhooks)] : []),
    ];
    console.log(`\n${tables.join('\n\n')}\n`);
    const file = saveResults({ machine, versions, connections: options.connections, results: [...orders, ...webhooks] });
    console.log(`All of it: ${file}. How to read it: docs/performance.md.`);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    await postgres.stop();
  }
}

/** By workload and not by program, so that what is compared runs within the same minute of a shared machine's life. */
async function runOrders(options: Options, postgres: BenchPostgres): Promise<Result[]> {
  const results: Result[] = [];
  for (const workload of ['hot', 'spread', 'idle'] as const) {
    for (const runCase of listCases(options, postgres, workload)) {
      const result = await runCase();
      results.push(result);
      const { perSecond, accepted } = result.measurement;
      console.log(`  ${WORKLOADS[workload]} · ${result.name}: ${Math.round(perSecond)} orders/s (${accepted} orders, verified)`);
    }
  }
  return results;
}

async function runWebhooks(options: Options, postgres: BenchPostgres): Promise<WebhookResult[]> {
  const results: WebhookResult[] = [];
  for (const workload of ['one-endpoint', 'many-endpoints', 'one-webhook'] as const) {
    for (const runCase of listWebhookCases(options, postgres, workload)) {
      const result = await runCase();
      results.push(result);
      const { perSecond, received, bytesPerBody } = result.measurement;
      console.log(
        `  ${WEBHOOK_WORKLOADS[workload]} · ${result.name}: ${Math.round(perSecond)}/s (${received} of ${bytesPerBody} bytes, verified)`,
      );
    }
  }
  return results;
}

/** The cases of one workload: the calls alone first, then Topgate on each engine, undisturbed and beside endpoints that hang. */
function listWebhookCases(
  options: Options,
  postgres: BenchPostgres,
  workload: WebhookWorkload,
): (() => Promise<WebhookResult>)[] {
  const bare = BARE_CONNECTIONS[workload].map((connections) => () => runBareCase({ workload, connections }));
  const topgate = (workload === 'many-endpoints' ? [0, HANGING] : [0]).flatMap((hanging) =>
    options.engines.map((engine) => () => runWebhookCase({ postgres, workload, engine, hanging })),
  );
  return [...bare, ...topgate];
}

/** The cases of one workload: the baselines first, then Topgate on each engine. */
function listCases(options: Options, postgres: BenchPostgres, workload: Workload): (() => Promise<Result>)[] {
  const isIdle = workload === 'idle';
  const plan: Plan = isIdle
    ? { warmUpMs: WARM_UP_MS, measureMs: IDLE_LIMIT_MS, maxMeasured: IDLE_ORDERS }
    : { warmUpMs: WARM_UP_MS, measureMs: options.seconds * 1_000, maxMeasured: null };
  const settings: CaseSettings = { postgres, workload, plan, connections: isIdle ? 1 : options.connections };

  const baselines = (isIdle ? [1] : BASELINE_CONNECTIONS).map(
    (connections) => () => runBaselineCase({ ...settings, connections }),
  );
  const onPostgres = (['api', 'all'] as const).map((role) => () => runServerCase({ ...settings, engine: 'postgres', role }));
  const onEmbedded = () => runServerCase({ ...settings, engine: 'embedded', role: 'all' });
  return [
    ...baselines,
    ...(options.engines.includes('postgres') ? onPostgres : []),
    ...(options.engines.includes('embedded') ? [onEmbedded] : []),
  ];
}

function describe({ cpu, cores, memoryGb, platform, node, load, fsync }: Machine, versions: Versions): string {
  return [
    `Machine    ${cpu}, ${cores} cores, ${memoryGb} GB, ${platform}`,
    `Load       ${load.toFixed(2)} before the start${load > cores / 4 ? ': other programs are busy, so these numbers are noisy' : ''}`,
    `Disk       write + fsync of 8 KiB: p50 ${fsync.p50Ms.toFixed(3)} ms, p99 ${fsync.p99Ms.toFixed(3)} ms`,
    `Node       ${node}`,
    `postgres   ${versions.postgres}`,
    `embedded   ${versions.embedded}`,
    'Database, server and load share these cores. Every accepted order is looked for afterwards; a missing one fails the run.',
    '',
  ].join('\n');
}

async function readEmbeddedVersion(): Promise<string> {
  const session = await openMemory();
  const [answer] = await session.run([{ text: 'select version() as version', parameters: [] }]);
  await session.close();
  return Object.values(answer?.rows[0] ?? {}).join();
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '6' },
      connections: { type: 'string', default: '64' },
      only: { type: 'string' },
      workload: { type: 'string' },
    },
  });
  const { only, workload } = values;
  if (only !== undefined && only !== 'embedded' && only !== 'postgres') throw new Error(USAGE);
  if (workload !== undefined && workload !== 'orders' && workload !== 'webhooks') throw new Error(USAGE);
  return {
    seconds: readNumber(values.seconds, 1, 600),
    connections: readNumber(values.connections, 1, 4_096),
    engines: only === undefined ? ['postgres', 'embedded'] : [only],
    workloads: workload === undefined ? ['orders', 'webhooks'] : [workload],
  };
}

function readNumber(text: string, least: number, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most) throw new Error(USAGE);
  return value;
}

await run(readOptions());
