import { CONNECTIONS, type Context, type Plan, WARM_UP_MS } from '../case.ts';
import { seededRandom, zipf } from '../load/numbers.ts';
import type { Arrivals } from '../load/task.ts';
import type { Sample, Side } from '../report/figures.ts';
import { connectionsText, type TopgateOptions, toSample, withTopgate } from './topgate.ts';

/** Topgate under signed orders over HTTP in a closed loop, with each number of connections. */
export function topgateOrders(
  context: Context,
  options: TopgateOptions & { subject: string; choice?: 'even' | 'zipf'; connections?: number[] },
): Side {
  return {
    subject: options.subject,
    isBaseline: false,
    measure: () =>
      withTopgate(context, options, async (topgate) => {
        const samples: Sample[] = [];
        for (const connections of options.connections ?? CONNECTIONS) {
          const load = { connections, arrivals: closedLoop(context), choice: options.choice ?? 'even' };
          samples.push(toSample(await topgate.order(load), connectionsText(connections)));
        }
        return samples;
      }),
  };
}

export function closedLoop({ seconds }: Plan): Arrivals {
  return { kind: 'closed', warmUpMs: WARM_UP_MS, measureMs: seconds * 1_000, limit: null, pauseMs: 0 };
}

export function chooseEvenly(count: number): () => number {
  return () => Math.floor(Math.random() * count);
}

export function chooseByZipf(count: number): () => number {
  return zipf(count, seededRandom(1));
}

/** So many measurements in each round, with what starting and checking cost around each. */
export function estimateSides({ seconds, rounds }: Plan, measurements: number): number {
  const AROUND_SECONDS = 1.8;
  return rounds * measurements * (seconds + WARM_UP_MS / 1_000 + AROUND_SECONDS);
}
