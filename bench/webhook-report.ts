import { bestBaseline, type Comparable, rateCell, ratioCell, renderRows } from './report.ts';

export type WebhookWorkload = 'one-endpoint' | 'many-endpoints' | 'one-webhook';

export interface WebhookResult extends Comparable {
  workload: WebhookWorkload;
  name: string;
  measurement: WebhookMeasurement;
  /** Webhooks for each time PostgreSQL's log was forced to disk; null where that cannot be counted. */
  webhooksPerFsync: number | null;
}

export interface WebhookMeasurement {
  /** Different webhooks received by endpoints that answer, a second: the median of the rounds. */
  perSecond: number;
  /** The rate of each round. */
  rounds: number[];
  /** The same until all were recorded as Delivered; null where nothing is recorded. */
  recordedPerSecond: number | null;
  /** From the request that causes a webhook to its receipt; null where a backlog waits, which says nothing about it. */
  p50Ms: number | null;
  p99Ms: number | null;
  /** In all rounds, the unmeasured one too. */
  received: number;
  /** Webhooks that came more than once, in all rounds. */
  duplicates: number;
  bytesPerBody: number;
  /** How much of one core the receiver used. */
  receiverCpu: number;
}

export const ENDPOINTS: Record<WebhookWorkload, number> = { 'one-endpoint': 1, 'many-endpoints': 50, 'one-webhook': 1 };

export const WEBHOOK_WORKLOADS: Record<WebhookWorkload, string> = {
  'one-endpoint': 'webhooks: a backlog for one endpoint',
  'many-endpoints': 'webhooks: a backlog for 50 endpoints',
  'one-webhook': 'webhooks: idle, one after the other',
};

const HEADINGS = [
  'case',
  'webhooks/s',
  'lowest–highest',
  'ratio',
  'recorded/s',
  'p50 ms',
  'p99 ms',
  'webhooks/fsync',
  'duplicates',
  'receiver CPU',
];

export function renderWebhooks(results: WebhookResult[]): string {
  const blocks = (Object.keys(WEBHOOK_WORKLOADS) as WebhookWorkload[]).flatMap((workload) => {
    const rows = results.filter((result) => result.workload === workload);
    if (rows.length === 0) return [];
    const best = bestBaseline(results, workload);
    return [`${WEBHOOK_WORKLOADS[workload]}\n\n${renderRows([HEADINGS, ...rows.map((row) => cells(row, best))])}`];
  });
  return blocks.join('\n\n');
}

function cells(result: WebhookResult, best: WebhookResult | undefined): string[] {
  const { perSecond, rounds, recordedPerSecond, p50Ms, p99Ms, duplicates, receiverCpu } = result.measurement;
  return [
    result.name,
    rateCell(perSecond),
    p50Ms === null ? `${rateCell(Math.min(...rounds))}–${rateCell(Math.max(...rounds))}` : '–',
    ratioCell(result, best),
    rateCell(recordedPerSecond),
    p50Ms === null ? '–' : p50Ms.toFixed(2),
    p99Ms === null ? '–' : p99Ms.toFixed(2),
    result.webhooksPerFsync === null ? '–' : result.webhooksPerFsync.toFixed(1),
    String(duplicates),
    `${Math.round(receiverCpu * 100)} %`,
  ];
}
