import { BARE_FASTIFY, bareOrders, loadBare, withBareFastify } from '../baselines/bare-fastify.ts';
import { type BenchCase, type Context, WARM_UP_MS } from '../case.ts';
import type { Arrivals, LoadReport } from '../load/task.ts';
import { alternate, type Details, type Figure, type Sample } from '../report/figures.ts';
import { number } from '../report/table.ts';
import { closedLoop } from '../system/order-sides.ts';
import { latencyDetails, type TopgateOptions, withTopgate } from '../system/topgate.ts';

const RESELLERS = 100;
/** As many requests may be open at once; those beyond wait, and their wait counts. */
const OPEN_REQUESTS = 256;
const SHARES = [0.25, 0.5, 0.75];
const JUDGED_SHARE = 0.5;
const MOST_MS = 50;
const TOP_RATE_CONNECTIONS = [64, 256];

const SUBJECTS: (Pick<TopgateOptions, 'engine' | 'roles'> & { subject: string; short: string })[] = [
  { subject: 'Topgate, PostgreSQL, ROLE=api', short: 'PostgreSQL api', engine: 'postgres', roles: ['api'] },
  { subject: 'Topgate, PostgreSQL, ROLE=all', short: 'PostgreSQL all', engine: 'postgres', roles: ['all'] },
  { subject: 'Topgate, embedded, ROLE=all', short: 'embedded', engine: 'embedded', roles: ['all'] },
];

/** What clients wait who come at their own pace: arrivals on a schedule, latency from the scheduled time. */
export const benchCase: BenchCase = {
  name: 'open-loop',
  title: 'Latency at fixed rates, open loop',
  isLong: false,
  estimate: ({ seconds, rounds }) =>
    SUBJECTS.length * (2 * (SHARES.length + rounds - 1) + TOP_RATE_CONNECTIONS.length) * (seconds + 2.8),
  async run(context) {
    const figures: Figure[] = [];
    const judged: { short: string; p99Ms: number }[] = [];
    for (const { subject, short, engine, roles } of SUBJECTS) {
      const measured = await measure(context, { engine, roles, resellers: RESELLERS }, subject);
      figures.push(...measured);
      const half = measured.find(({ setting, isBaseline }) => setting.startsWith(shareText(JUDGED_SHARE)) && !isBaseline);
      judged.push({ short, p99Ms: half?.value ?? Number.POSITIVE_INFINITY });
    }
    return {
      figures,
      measured: {
        tail: {
          text: judged.map(({ short, p99Ms }) => `${number(p99Ms)} ms ${short}`).join(', '),
          isMet: judged.every(({ p99Ms }) => p99Ms < MOST_MS),
        },
      },
      notes: [
        `Poisson arrivals, at most ${OPEN_REQUESTS} requests open; an overrun found none free and waited, which its latency counts.`,
        'Lateness is the generator’s own: a timer of 1 ms, and its turn on the shared cores. The bare server has it too.',
        'Here a higher ratio is slower: it is to bare Fastify at the same rate.',
      ],
    };
  },
};

/** The highest rate of a closed loop first, then parts of it by schedule; the judged one in turn with the bare server. */
function measure(context: Context, options: TopgateOptions, subject: string): Promise<Figure[]> {
  context.step(`${subject}: the top rate`);
  return withTopgate(context, options, async (topgate) => {
    const rates: number[] = [];
    for (const connections of TOP_RATE_CONNECTIONS) {
      const { report, deliveredPerSecond } = await topgate.order({ connections, arrivals: closedLoop(context) });
      rates.push(Math.min(report.perSecond, deliveredPerSecond ?? Number.POSITIVE_INFINITY));
    }
    const found: Figure[] = [];
    for (const share of SHARES) {
      const perSecond = Math.round(Math.max(...rates) * share);
      const rounds = share === JUDGED_SHARE ? context.rounds : 1;
      const setting = `${shareText(share)} of the top rate: ${number(perSecond)}/s`;
      const arrivals = openLoop(context, perSecond);
      const own = async (): Promise<Sample> => {
        const { report } = await topgate.order({ connections: OPEN_REQUESTS, arrivals });
        return { setting, value: report.p99Ms, details: { ...latencyDetails(report), ...keeping(report) } };
      };
      const topgateSide = { subject, isBaseline: false, measure: async () => [await own()] };
      const bare = { subject: BARE_FASTIFY, isBaseline: true, measure: async () => [await measureBare(context, perSecond)] };
      const step = (text: string) => context.step(`${text}, ${setting}`);
      found.push(...(await alternate({ rounds, step }, 'p99 in ms', [topgateSide, bare])));
    }
    return found;
  });
}

function shareText(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function measureBare(context: Context, perSecond: number): Promise<Sample> {
  return withBareFastify([], async (bare) => {
    const arrivals = openLoop(context, perSecond);
    const requests = bareOrders(perSecond * (context.seconds + 2))('O');
    const { details } = await loadBare(context, bare, { connections: OPEN_REQUESTS, arrivals, requests });
    return { setting: `${number(perSecond)}/s`, value: Number(details['p99 ms']), details };
  });
}

function openLoop({ seconds }: Context, perSecond: number): Arrivals {
  return { kind: 'open', warmUpMs: WARM_UP_MS, measureMs: seconds * 1_000, perSecond };
}

function keeping({ open, perSecond }: LoadReport): Details {
  return {
    'answered/s': perSecond,
    overruns: String(open?.overruns ?? 0),
    unsent: String(open?.unsent ?? 0),
    'lateness p99 ms': open?.latenessP99Ms ?? null,
  };
}
