import { withBareFastify } from '../baselines/bare-fastify.ts';
import type { BenchCase, Context } from '../case.ts';
import { alternate, best, type Side } from '../report/figures.ts';
import { number } from '../report/table.ts';
import type { Engine, Installation } from '../system/installations.ts';
import { closedLoop } from '../system/order-sides.ts';
import { readResidentMb } from '../system/processes.ts';
import { startServer } from '../system/server.ts';
import { withTopgate } from '../system/topgate.ts';

const STARTS = 5;
const MOST_MS = 2_000;
const RESELLERS = 100;
const ENGINES: Engine[] = ['postgres', 'embedded'];

/** From the start of the process to its first 200 of /health/ready: on data that is there, and on nothing. */
export const benchCase: BenchCase = {
  name: 'start',
  title: 'Start-up',
  isLong: false,
  estimate: ({ seconds, rounds }) => 2 * (seconds + 12) + STARTS * 6 + rounds * 8,
  async run(context) {
    const existing = await Promise.all(ENGINES.map((engine) => context.installations.open(engine, RESELLERS)));
    for (const [index, installation] of existing.entries()) await fill(context, ENGINES[index] ?? 'postgres', installation);
    const bare: Side = {
      subject: '(c) bare Fastify, until it listens',
      isBaseline: true,
      measure: () => withBareFastify([], async ({ startMs }) => [{ setting: '', value: startMs, details: {} }]),
    };
    const onData = ENGINES.map((engine, index) => onExisting(engine, existing[index]));
    const figures = await alternate({ ...context, rounds: STARTS }, 'ms', [bare, ...onData]);
    const fresh = ENGINES.map((engine) => onNothing(context, engine));
    figures.push(...(await alternate(context, 'ms', [bare, ...fresh])));
    for (const installation of existing) await installation.discard();
    const found = ENGINES.map((engine) => ({ engine, ms: best(figures, subjectOf(engine, 'existing data')).value }));
    return {
      figures,
      measured: {
        start: {
          text: found.map(({ engine, ms }) => `${number(ms / 1_000)} s ${engine}`).join(', '),
          isMet: found.every(({ ms }) => ms < MOST_MS),
        },
      },
      notes: [
        'Existing data: 100 resellers and the orders of one measurement. Nothing: migrations, the catalogue and the demo reseller.',
        'Here a higher ratio is slower.',
      ],
    };
  },
};

/** Orders that a start finds. */
async function fill(context: Context, engine: Engine, installation: Installation): Promise<void> {
  context.step(`orders to be found at the start (${engine})`);
  await withTopgate(context, { engine, roles: ['all'], resellers: RESELLERS, installation }, async (topgate) => {
    await topgate.order({ connections: 64, arrivals: closedLoop(context) });
  });
}

function onExisting(engine: Engine, installation: Installation | undefined): Side {
  if (!installation) throw new Error(`No installation of ${engine}.`);
  return { subject: subjectOf(engine, 'existing data'), isBaseline: false, measure: () => measureStart(installation) };
}

function onNothing(context: Context, engine: Engine): Side {
  return {
    subject: subjectOf(engine, 'nothing there'),
    isBaseline: false,
    async measure() {
      const databaseUrl = engine === 'postgres' ? await context.postgres.createDatabase() : null;
      const samples = await measureStart({ databaseUrl, dataDir: null });
      if (databaseUrl !== null) await context.postgres.dropDatabase(databaseUrl);
      return samples;
    },
  };
}

async function measureStart(where: Pick<Installation, 'databaseUrl' | 'dataDir'>) {
  const server = await startServer({ ...where, role: 'all' });
  const sample = { setting: '', value: server.startMs, details: { 'memory MB': readResidentMb(server.pid()) } };
  await server.stop();
  return [sample];
}

function subjectOf(engine: Engine, what: string): string {
  return `Topgate, ${engine === 'postgres' ? 'PostgreSQL' : 'embedded'}: ${what}`;
}
