import { best, type Figure } from './report/figures.ts';

/** What Topgate is to reach, judged by ratios to baselines of the same run wherever one exists. */
export const TARGETS = {
  spread: { title: 'orders over HTTP, PostgreSQL, 100 resellers / baseline (a) best', goal: '≥ 4', least: 4 },
  hot: { title: 'the same, one hot reseller', goal: '≥ 12', least: 12 },
  embedded: { title: 'embedded engine / (a) on PostgreSQL, 100 resellers', goal: '≥ 3', least: 3 },
  http: { title: 'orders over HTTP / bare Fastify (c)', goal: '≥ 0.3', least: 0.3 },
  idle: { title: 'one idle order, p50', goal: '≤ 3 × fsync + 3 ms', least: null },
  tail: { title: 'p99 at half of the top rate (open loop)', goal: '< 50 ms', least: null },
  life: {
    title: 'whole life placed → Success, sustained 60 s',
    goal: '≥ 1,500 orders/s, backlog not growing',
    least: null,
  },
  stored: { title: 'throughput with 5 million stored orders / with none', goal: '≥ 0.8', least: 0.8 },
  service: { title: '`GET /api/service` (339 services, ETag hit) / bare Fastify', goal: '≥ 0.7', least: 0.7 },
  memory: { title: 'server memory after 1 million orders − at start', goal: '< 150 MB, level', least: null },
  start: { title: 'cold start to ready, existing data', goal: '< 2 s', least: null },
} as const;

export type TargetId = keyof typeof TARGETS;

export interface Measured {
  /** The figure as it stands in the table. */
  text: string;
  isMet: boolean;
}

/** Rounds that differ by more than this say more about what else ran on the machine. */
const NOISE = 1.5;

/** For targets that are a ratio with a least value: of the best setting of a subject to that of another. */
export function judgeRatio(id: TargetId, figures: Figure[], subject: string, other: string): Measured {
  const { least } = TARGETS[id];
  if (least === null) throw new Error(`The target ${id} is not a ratio.`);
  const compared = [best(figures, subject), best(figures, other)] as const;
  const ratio = compared[0].value / compared[1].value;
  const differs = Math.max(...compared.map(({ rounds }) => Math.max(...rounds) / Math.min(...rounds)));
  const noise = differs > NOISE ? ` (noisy: rounds differ ${differs.toFixed(1)} ×)` : '';
  return { text: `${ratio.toFixed(2)}${noise}`, isMet: ratio >= least };
}
