import { type Context, type Plan, WARM_UP_MS } from '../case.ts';
import type { LoadTask, Requests } from '../load/task.ts';
import type { Sample, Side } from '../report/figures.ts';
import { startChild } from '../system/child.ts';
import { closedLoop } from '../system/order-sides.ts';
import { readCpuSeconds } from '../system/processes.ts';
import { connectionsText, latencyDetails } from '../system/topgate.ts';
import type { BareRead } from './bare-fastify-process.ts';

/**
 * Baseline (c): Fastify in a process of its own that answers the same requests with answers of the same size, and nothing
 * behind it: no token, no signature, no database. The same load generator, with the same checks.
 */
export function bareFastify(
  context: Context,
  options: { connections: number[]; requests: (prefix: string) => Requests; reads?: BareRead[]; isBaseline: boolean },
): Side {
  return {
    subject: BARE_FASTIFY,
    isBaseline: options.isBaseline,
    measure: () =>
      withBareFastify(options.reads ?? [], async (bare) => {
        const samples: Sample[] = [];
        for (const connections of options.connections) {
          const requests = options.requests(`F-${++loads}`);
          samples.push(await loadBare(context, bare, { connections, arrivals: closedLoop(context), requests }));
        }
        return samples;
      }),
  };
}

/** A bare server that is running. */
export interface Bare {
  pid: number;
  port: number;
  /** From the start of the process until it listens. */
  startMs: number;
}

export async function withBareFastify<Result>(reads: BareRead[], work: (bare: Bare) => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const child = startChild('baselines/bare-fastify-process.ts');
  try {
    const port = await child.ask<number>(reads);
    return await work({ pid: child.pid, port, startMs: performance.now() - startedAt });
  } finally {
    await child.stop();
  }
}

export const BARE_FASTIFY = '(c) bare Fastify, nothing behind it';

let loads = 0;

export async function loadBare(context: Context, { pid, port }: Bare, task: Omit<LoadTask, 'ports'>): Promise<Sample> {
  const cpuBefore = readCpuSeconds(pid);
  const report = await context.load({ ...task, ports: [port] });
  const cpuAfter = readCpuSeconds(pid);
  return {
    setting: connectionsText(task.connections),
    value: report.perSecond,
    details: {
      ...latencyDetails(report),
      'server µs': cpuBefore === null || cpuAfter === null ? null : ((cpuAfter - cpuBefore) * 1e6) / report.accepted,
      'client µs': report.clientMicros,
    },
  };
}

/** More than it answers in a second, so that signing is done before the clock runs. */
const PREPARED_PER_SECOND = 30_000;

/** Signed orders for a measurement of the usual length. */
export function bareOrdersFor({ seconds }: Plan): (prefix: string) => Requests {
  return bareOrders((seconds + WARM_UP_MS / 1_000) * PREPARED_PER_SECOND);
}

/** Signed orders as they are sent to Topgate; whose they are does not matter here. */
export function bareOrders(prepare: number): (prefix: string) => Requests {
  const resellers = [{ token: `tg_live_${'0'.repeat(40)}`, secret: 'tgs_bench' }];
  return (prefix) => ({ kind: 'orders', resellers, choice: 'even', prefix, prepare, replaysOf: null });
}
