import { BARE_FASTIFY, bareOrders, loadBare, withBareFastify } from '../baselines/bare-fastify.ts';
import { type BenchCase, type Context, WARM_UP_MS } from '../case.ts';
import type { Arrivals, LoadReport } from '../load/task.ts';
import type { Details, Figure } from '../report/figures.ts';
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
  estimate: ({ seconds }) => SUBJECTS.length * (SHARES.length + 1 + TOP_RATE_CONNECTIONS.length) * (seconds + 2.8),
  async run(context) {
    const figures: Figure[] = [];
    const judged: { short: string; p99Ms: number }[] = [];
    for (const { subject, short, engine, roles } of SUBJECTS) {
      const measured = await measure(context, { engine, roles, resellers: RESELLERS }, subject);
      for (const { share, perSecond, report } of measured) {
        const setting = `${Math.round(share * 100)} % of the top rate: ${number(perSecond)}/s`;
        const details = { ...latencyDetails(report), ...keeping(report) };
        if (share !== JUDGED_SHARE) {
          figures.push(toFigure(subject, setting, report.p99Ms, null, details));
          continue;
        }
        const bare = await measureBare(context, perSecond);
        figures.push(toFigure(subject, setting, report.p99Ms, report.p99Ms / bare.value, details));
        figures.push(toFigure(BARE_FASTIFY, `${number(perSecond)}/s`, bare.value, 1, bare.details));
        judged.push({ short, p99Ms: report.p99Ms });
      }
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
        'Here a higher ratio is slower: it is to bare Fastify at the same rate, measured where the target is.',
      ],
    };
  },
};

/** The highest rate of a closed loop first, then a part of it by schedule. */
function measure(context: Context, options: TopgateOptions, subject: string) {
  context.step(`${subject}: the top rate`);
  return withTopgate(context, options, async (topgate) => {
    const rates: number[] = [];
    for (const connections of TOP_RATE_CONNECTIONS) {
      const { report, deliveredPerSecond } = await topgate.order({ connections, arrivals: closedLoop(context) });
      rates.push(Math.min(report.perSecond, deliveredPerSecond ?? Number.POSITIVE_INFINITY));
    }
    const found: { share: number; perSecond: number; report: LoadReport }[] = [];
    for (const share of SHARES) {
      const perSecond = Math.round(Math.max(...rates) * share);
      context.step(`${subject}: ${perSecond}/s by schedule`);
      const { report } = await topgate.order({ connections: OPEN_REQUESTS, arrivals: openLoop(context, perSecond) });
      found.push({ share, perSecond, report });
    }
    return found;
  });
}

function measureBare(context: Context, perSecond: number): Promise<{ value: number; details: Details }> {
  return withBareFastify([], async (bare) => {
    const arrivals = openLoop(context, perSecond);
    const requests = bareOrders(perSecond * (context.seconds + 2))('O');
    const { details } = await loadBare(context, bare, { connections: OPEN_REQUESTS, arrivals, requests });
    return { value: Number(details['p99 ms']), details };
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

function toFigure(subject: string, setting: string, value: number, ratio: number | null, details: Details): Figure {
  return { subject, setting, unit: 'p99 in ms', value, rounds: [value], isBaseline: subject === BARE_FASTIFY, ratio, details };
}
