import { ONE_BY_ONE, oneByOne } from '../baselines/one-by-one.ts';
import type { BenchCase, Context } from '../case.ts';
import { sum } from '../load/numbers.ts';
import { alternate, type Sample, type Side } from '../report/figures.ts';
import { chooseEvenly, closedLoop, estimateSides } from '../system/order-sides.ts';
import { readCpuSeconds } from '../system/processes.ts';
import type { Role } from '../system/server.ts';
import { connectionsText, type Topgate, toSample, withTopgate } from '../system/topgate.ts';

const RESELLERS = 100;
const CONNECTIONS = [64, 256];
const LAYOUTS: { subject: string; roles: Role[] }[] = [
  { subject: 'Topgate: 1 all', roles: ['all'] },
  { subject: 'Topgate: 1 api, 1 worker', roles: ['api', 'worker'] },
  { subject: 'Topgate: 2 api, 2 worker', roles: ['api', 'api', 'worker', 'worker'] },
];

/** Several processes on one PostgreSQL: whether they add up, and whether each gets its share. */
export const benchCase: BenchCase = {
  name: 'processes',
  title: 'Several processes on one database',
  isLong: true,
  estimate: (plan) => estimateSides(plan, 1 + LAYOUTS.length * CONNECTIONS.length) + plan.rounds * 20,
  async run(context) {
    const figures = await alternate(context, 'orders/s', [
      oneByOne(context, { resellers: RESELLERS, connections: [16], choose: chooseEvenly }),
      ...LAYOUTS.map((layout) => layoutSide(context, layout)),
    ]);
    return {
      figures,
      measured: {},
      notes: [
        `Ratio to "${ONE_BY_ONE}". Connections are dealt out evenly to the api processes.`,
        'What a worker did is not on record, so its share is told by its CPU time, deliveries after the load included.',
      ],
    };
  },
};

function layoutSide(context: Context, { subject, roles }: { subject: string; roles: Role[] }): Side {
  return {
    subject,
    isBaseline: false,
    measure: () =>
      withTopgate(context, { engine: 'postgres', roles, resellers: RESELLERS }, async (topgate) => {
        const samples: Sample[] = [];
        for (const connections of CONNECTIONS) samples.push(await measure(context, topgate, roles, connections));
        return samples;
      }),
  };
}

async function measure(context: Context, topgate: Topgate, roles: Role[], connections: number): Promise<Sample> {
  const workers = topgate.servers.filter((_, index) => roles[index] === 'worker');
  const readCpu = () => workers.map((worker) => readCpuSeconds(worker.pid()) ?? 0);
  const before = readCpu();
  const loaded = await topgate.order({ connections, arrivals: closedLoop(context) });
  const used = readCpu().map((seconds, index) => seconds - (before[index] ?? 0));
  const sample = toSample(loaded, connectionsText(connections));
  const { acceptedByPort } = loaded.report;
  return {
    ...sample,
    details: {
      ...sample.details,
      'accepted by api': acceptedByPort.length > 1 ? shares(acceptedByPort) : null,
      'CPU by worker': used.length > 1 ? shares(used) : null,
    },
  };
}

function shares(values: number[]): string {
  return values.map((value) => `${Math.round((value / sum(values)) * 100)} %`).join(' / ');
}
