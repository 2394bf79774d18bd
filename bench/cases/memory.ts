import { BARE_FASTIFY, bareOrders, loadBare, withBareFastify } from '../baselines/bare-fastify.ts';
import type { BenchCase, Context } from '../case.ts';
import type { Arrivals } from '../load/task.ts';
import type { Figure } from '../report/figures.ts';
import { number } from '../report/table.ts';
import { readResidentMb } from '../system/processes.ts';
import { withTopgate } from '../system/topgate.ts';

const ORDERS = 1_000_000;
const CHUNK = 100_000;
const WARM_UP_ORDERS = 20_000;
const CONNECTIONS = 64;
const SUBJECT = 'Topgate, PostgreSQL, ROLE=all';
const CHUNK_LIMIT_MS = 600_000;
const MOST_GROWTH_MB = 150;
/** Level: what the second half million adds to the first, at most. */
const MOST_LATE_GROWTH = 1.1;

/** The server's resident memory while it places and delivers a million orders. */
export const benchCase: BenchCase = {
  name: 'memory',
  title: 'Memory over a million orders',
  isLong: true,
  estimate: () => 1_000,
  async run(context) {
    const topgate = await measureTopgate(context);
    const bare = await measureBare(context);
    if (topgate === null || bare === null)
      return { figures: [], measured: {}, notes: ['There is no /proc here, so memory was not measured.'] };
    const growth = topgate.last - topgate.start;
    const isLevel = topgate.last <= topgate.half * MOST_LATE_GROWTH;
    return {
      figures: [...toFigures(BARE_FASTIFY, bare, null, true), ...toFigures(SUBJECT, topgate, bare, false)],
      measured: {
        memory: {
          text: `${number(growth)} MB more, ${isLevel ? 'level' : 'growing'} (${number(topgate.half)} MB at half, ${number(topgate.last)} MB at the end)`,
          isMet: growth < MOST_GROWTH_MB && isLevel,
        },
      },
      notes: [`${SUBJECT}, MB after each ${CHUNK.toLocaleString('en')} orders: ${topgate.series.map(number).join(' ')}`],
    };
  },
};

/** Resident memory in MB. */
interface Memory {
  start: number;
  warm: number;
  half: number;
  last: number;
  series: number[];
}

function measureTopgate(context: Context): Promise<Memory | null> {
  return withTopgate(context, { engine: 'postgres', roles: ['all'], resellers: 100 }, async (topgate) => {
    const pid = topgate.server.pid();
    return watch(context, SUBJECT, pid, async (orders) => {
      await topgate.order({ connections: CONNECTIONS, arrivals: untilPlaced(orders) });
    });
  });
}

function measureBare(context: Context): Promise<Memory | null> {
  return withBareFastify([], (bare) =>
    watch(context, BARE_FASTIFY, bare.pid, async (orders) => {
      const requests = bareOrders(orders + CONNECTIONS)('M');
      await loadBare(context, bare, { connections: CONNECTIONS, arrivals: untilPlaced(orders), requests });
    }),
  );
}

async function watch(
  context: Context,
  subject: string,
  pid: number,
  place: (orders: number) => Promise<void>,
): Promise<Memory | null> {
  const start = readResidentMb(pid);
  if (start === null) return null;
  await place(WARM_UP_ORDERS);
  const warm = readResidentMb(pid) ?? 0;
  const series: number[] = [];
  for (let placed = 0; placed < ORDERS; placed += CHUNK) {
    context.step(`${subject}: ${placed.toLocaleString('en')} orders placed`);
    await place(CHUNK);
    series.push(readResidentMb(pid) ?? 0);
  }
  return { start, warm, half: series[series.length / 2 - 1] ?? 0, last: series.at(-1) ?? 0, series };
}

function untilPlaced(limit: number): Arrivals {
  return { kind: 'closed', warmUpMs: 0, measureMs: CHUNK_LIMIT_MS, limit, pauseMs: 0 };
}

function toFigures(subject: string, memory: Memory, baseline: Memory | null, isBaseline: boolean): Figure[] {
  const settings = {
    'at the start': 'start',
    'after warm-up': 'warm',
    'after half a million': 'half',
    'after a million': 'last',
  } as const;
  return Object.entries(settings).map(([setting, key]) => ({
    subject,
    setting,
    unit: 'MB',
    value: memory[key],
    rounds: [memory[key]],
    isBaseline,
    ratio: memory[key] / (baseline ?? memory)[key],
    details: {},
  }));
}
