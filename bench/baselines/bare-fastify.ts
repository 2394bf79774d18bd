import { type Context, WARM_UP_MS } from '../case.ts';
import type { Requests } from '../load/task.ts';
import type { Sample, Side } from '../report/figures.ts';
import { startChild } from '../system/child.ts';
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
    async measure() {
      const child = startChild('baselines/bare-fastify-process.ts');
      try {
        const port = await child.ask<number>(options.reads ?? []);
        const samples: Sample[] = [];
        for (const connections of options.connections)
          samples.push(await load(context, child.pid, port, connections, options.requests(`F-${++loads}`)));
        return samples;
      } finally {
        await child.stop();
      }
    },
  };
}

export const BARE_FASTIFY = '(c) bare Fastify, nothing behind it';

let loads = 0;

async function load(context: Context, pid: number, port: number, connections: number, requests: Requests): Promise<Sample> {
  const cpuBefore = readCpuSeconds(pid);
  const report = await context.load({
    ports: [port],
    connections,
    arrivals: { kind: 'closed', warmUpMs: WARM_UP_MS, measureMs: context.seconds * 1_000, limit: null, pauseMs: 0 },
    requests,
  });
  const cpuAfter = readCpuSeconds(pid);
  return {
    setting: connectionsText(connections),
    value: report.perSecond,
    details: {
      ...latencyDetails(report),
      'server µs': cpuBefore === null || cpuAfter === null ? null : ((cpuAfter - cpuBefore) * 1e6) / report.accepted,
      'client µs': report.clientMicros,
    },
  };
}

/** Signed orders as they are sent to Topgate; whose they are does not matter here. */
export function bareOrders(prepare: number): (prefix: string) => Requests {
  const resellers = [{ token: `tg_live_${'0'.repeat(40)}`, secret: 'tgs_bench' }];
  return (prefix) => ({ kind: 'orders', resellers, choice: 'even', prefix, prepare, replaysOf: null });
}
