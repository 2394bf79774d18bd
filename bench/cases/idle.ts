import { ONE_BY_ONE, oneByOne } from '../baselines/one-by-one.ts';
import { type BenchCase, type Context, type Plan, WARM_UP_MS } from '../case.ts';
import { alternate, best, type Side } from '../report/figures.ts';
import { chooseEvenly, estimateSides } from '../system/order-sides.ts';
import { connectionsText, type TopgateOptions, toSample, withTopgate } from '../system/topgate.ts';

/** Long enough that the delivery of the last order is over when the next one comes. */
const PAUSE_MS = 25;
const LEAST_SECONDS = 5;
const WARM_UP_ORDERS = 1_000;
const IMMEDIATE = { kind: 'closed', warmUpMs: 0, measureMs: 30_000, pauseMs: 0 } as const;
const MULTIPLE_OF_FSYNC = 3;
const ALLOWED_MS = 3;

const SUBJECTS: (Pick<TopgateOptions, 'engine' | 'roles'> & { subject: string })[] = [
  { subject: 'Topgate, PostgreSQL, ROLE=api', engine: 'postgres', roles: ['api'] },
  { subject: 'Topgate, PostgreSQL, ROLE=all', engine: 'postgres', roles: ['all'] },
  { subject: 'Topgate, embedded, ROLE=all', engine: 'embedded', roles: ['all'] },
];

/** How long one order takes when nothing else happens: one connection, which pauses after each answer. */
export const benchCase: BenchCase = {
  name: 'idle',
  title: 'One order at a time',
  isLong: false,
  estimate: (plan) => estimateSides(longer(plan), SUBJECTS.length + 1),
  async run(given) {
    const context = longer(given);
    const baseline = oneByOne(context, { resellers: 1, connections: [1], choose: chooseEvenly, pauseMs: PAUSE_MS });
    const figures = await alternate(context, 'p50 in ms', [
      asLatency(baseline),
      ...SUBJECTS.map((options) => asLatency(topgateIdle(context, options))),
    ]);
    const allowedMs = MULTIPLE_OF_FSYNC * context.machine.fsync.p50Ms + ALLOWED_MS;
    const found = SUBJECTS.map(({ subject, engine, roles }) => ({
      name: engine === 'postgres' ? `PostgreSQL ${roles}` : engine,
      ms: best(figures, subject).value,
    }));
    const text = found.map(({ name, ms }) => `${ms.toFixed(1)} ms ${name}`).join(', ');
    return {
      figures,
      measured: {
        idle: { text: `${text} (≤ ${allowedMs.toFixed(1)})`, isMet: found.every(({ ms }) => ms <= allowedMs) },
      },
      notes: [`Here a higher ratio is slower: it is to the median of "${ONE_BY_ONE}". ${PAUSE_MS} ms pass between two orders.`],
    };
  },
};

/** So few orders come in a second that a short measurement would say nothing about its worst. */
function longer<Given extends Plan>(plan: Given): Given {
  return { ...plan, seconds: Math.max(LEAST_SECONDS, plan.seconds) };
}

function topgateIdle(context: Context, options: Pick<TopgateOptions, 'engine' | 'roles'> & { subject: string }): Side {
  return {
    subject: options.subject,
    isBaseline: false,
    measure: () =>
      withTopgate(context, { ...options, resellers: 1 }, async (topgate) => {
        // A server that runs for a while has compiled its code; a second of single orders is not enough for that.
        await topgate.order({ connections: 4, arrivals: { ...IMMEDIATE, limit: WARM_UP_ORDERS } });
        const measureMs = context.seconds * 1_000;
        const arrivals = { kind: 'closed', warmUpMs: WARM_UP_MS, measureMs, limit: null, pauseMs: PAUSE_MS } as const;
        const loaded = await topgate.order({ connections: 1, arrivals });
        return [toSample({ ...loaded, deliveredPerSecond: null, ordersPerFsync: null }, connectionsText(1))];
      }),
  };
}

/** Has a side judged by its median latency and not by its rate. */
function asLatency(side: Side): Side {
  return {
    ...side,
    measure: async () => (await side.measure()).map((sample) => ({ ...sample, value: Number(sample.details['p50 ms']) })),
  };
}
