import { setTimeout as delay } from 'node:timers/promises';
import { ONE_BY_ONE, oneByOne } from '../baselines/one-by-one.ts';
import { type BenchCase, type Context, WARM_UP_MS } from '../case.ts';
import { median } from '../load/numbers.ts';
import { alternate, best, type Details, type Figure } from '../report/figures.ts';
import { number } from '../report/table.ts';
import type { Engine } from '../system/installations.ts';
import { chooseEvenly, closedLoop } from '../system/order-sides.ts';
import { type Loaded, latencyDetails, type Topgate, withTopgate } from '../system/topgate.ts';
import { countInProcess } from '../system/verify.ts';

const RESELLERS = 100;
const FULL_SECONDS = 60;
const SHORT_SECONDS = 20;
const CONNECTIONS = 256;
const LEAST_PER_SECOND = 1_500;
/** What is asked for at first, of the rate at which a burst was delivered; and how much less after each failure. */
const FIRST_SHARE = 0.9;
const LESS = 0.85;
const TRIES = 3;
const BURST_SECONDS = 6;
const SAMPLE_EVERY_MS = 2_000;
/** A backlog of less than half a second of orders comes and goes. */
const NOISE_SECONDS = 0.5;

const ENGINES: { engine: Engine; subject: string }[] = [
  { engine: 'postgres', subject: 'Topgate, PostgreSQL, ROLE=all' },
  { engine: 'embedded', subject: 'Topgate, embedded, ROLE=all' },
];

/** Orders from placed to Success at the pace at which they come: sustained means that what waits does not grow. */
export const benchCase: BenchCase = {
  name: 'life',
  title: 'Whole lives: placed, delivered, settled',
  isLong: false,
  estimate: (plan) => ENGINES.length * (sustainedSeconds(plan) * 1.3 + BURST_SECONDS + 12) + 12,
  async run(context) {
    const oneRound = { ...context, rounds: 1 };
    const baseline = oneByOne(context, { resellers: RESELLERS, connections: [16], choose: chooseEvenly });
    const figures = await alternate(oneRound, 'orders/s', [baseline]);
    const lives: Life[] = [];
    for (const { engine, subject } of ENGINES) {
      const life = await withTopgate(context, { engine, roles: ['all'], resellers: RESELLERS }, (topgate) =>
        sustain(context, topgate, subject),
      );
      lives.push(life);
      figures.push(toFigure(subject, life, life.perSecond / best(figures, ONE_BY_ONE).value));
    }
    const [life] = lives;
    const isMet = life !== undefined && life.perSecond >= LEAST_PER_SECOND && !life.isGrowing;
    return {
      figures,
      measured: {
        life: {
          text: `${number(life?.perSecond ?? 0)}/s over ${life?.seconds} s, backlog ${life?.isGrowing ? 'growing' : 'level'}`,
          isMet,
        },
      },
      notes: lives.map(({ backlog }, index) => `${ENGINES[index]?.subject}: orders in Process, every 2 s: ${backlog.join(' ')}`),
    };
  },
};

interface Life {
  seconds: number;
  /** Orders a second, counted from the first order to the last delivery. */
  perSecond: number;
  /** Orders in Process, as they were counted while new ones came. */
  backlog: number[];
  isGrowing: boolean;
  loaded: Loaded;
}

function sustainedSeconds({ isFull }: { isFull: boolean }): number {
  return isFull ? FULL_SECONDS : SHORT_SECONDS;
}

/** Finds by itself what can be kept up: asks for nearly the rate of a burst, and for less if that was too much. */
async function sustain(context: Context, topgate: Topgate, subject: string): Promise<Life> {
  context.step(`${subject}: a burst`);
  const seconds = sustainedSeconds(context);
  const burst = await topgate.order({ connections: CONNECTIONS, arrivals: closedLoop({ ...context, seconds: BURST_SECONDS }) });
  let perSecond = Math.floor((burst.deliveredPerSecond ?? 0) * FIRST_SHARE);
  for (let left = TRIES; ; left--) {
    context.step(`${subject}: ${perSecond}/s for ${seconds} s`);
    const life = await keepUp(topgate, { perSecond, seconds });
    if (!life.isGrowing || left === 1) return life;
    perSecond = Math.floor(perSecond * LESS);
  }
}

async function keepUp(topgate: Topgate, { perSecond, seconds }: { perSecond: number; seconds: number }) {
  const arrivals = { kind: 'open', warmUpMs: WARM_UP_MS, measureMs: seconds * 1_000, perSecond } as const;
  const backlog: number[] = [];
  const watching = new AbortController();
  const watched = watch(topgate, backlog, watching.signal, (seconds * 1_000 + WARM_UP_MS) / SAMPLE_EVERY_MS);
  try {
    const loaded = await topgate.order({ connections: CONNECTIONS, arrivals });
    const isLate = (loaded.report.open?.unsent ?? 0) > 0;
    const isGrowing = isLate || grows(backlog, perSecond * NOISE_SECONDS);
    return { seconds, perSecond: loaded.deliveredPerSecond ?? 0, backlog, isGrowing, loaded };
  } finally {
    watching.abort();
    await watched;
  }
}

/** Counts the orders in Process every 2 s for as long as new orders come. */
async function watch({ server, installation }: Topgate, backlog: number[], signal: AbortSignal, most: number): Promise<void> {
  for (let sample = 0; sample < Math.floor(most); sample++) {
    await delay(SAMPLE_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    backlog.push(await countInProcess(server, installation));
  }
}

/** Whether the last third is above the first by more than what comes and goes. */
export function grows(backlog: number[], noise: number): boolean {
  const third = Math.max(1, Math.floor(backlog.length / 3));
  return median(backlog.slice(-third)) > median(backlog.slice(0, third)) * 1.5 + noise;
}

function toFigure(subject: string, { perSecond, seconds, loaded }: Life, ratio: number): Figure {
  const details: Details = {
    ...latencyDetails(loaded.report),
    overruns: String(loaded.report.open?.overruns ?? 0),
    'orders/fsync': loaded.ordersPerFsync,
    'server µs': loaded.serverMicros,
    'database µs': loaded.databaseMicros,
    'client µs': loaded.report.clientMicros,
  };
  return {
    subject,
    setting: `${seconds} s by schedule`,
    unit: 'orders/s',
    value: perSecond,
    rounds: [perSecond],
    isBaseline: false,
    ratio,
    details,
  };
}
