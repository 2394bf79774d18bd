import { Webhook } from 'standardwebhooks';
import { quantile } from './closed-loop.ts';
import type { Received } from './receiver.ts';
import type { WebhookMeasurement } from './webhook-report.ts';

/** Webhooks sent and received once. Times are of the wall clock, in milliseconds. */
export interface Round {
  startedAt: number;
  /** Receipt of the last webhook that was not a repetition. */
  receivedAt: number;
  /** When all of them were known to be recorded; null where nothing is recorded. */
  recordedAt: number | null;
  received: Received;
}

/** After one round that nobody counts, so that caches and the JIT are warm. */
export const MEASURED_ROUNDS = 3;

export async function runBacklogRounds(runRound: () => Promise<Round>): Promise<WebhookMeasurement> {
  const all: Round[] = [];
  while (all.length <= MEASURED_ROUNDS) all.push(await runRound());
  const measured = all.slice(1);
  const rates = measured.map((round) => round.received.distinct / seconds(round.startedAt, round.receivedAt));
  const recordedRates = measured.flatMap((round) =>
    round.recordedAt === null ? [] : [round.received.distinct / seconds(round.startedAt, round.recordedAt)],
  );
  return {
    perSecond: median(rates),
    rounds: rates,
    recordedPerSecond: recordedRates.length === 0 ? null : median(recordedRates),
    p50Ms: null,
    p99Ms: null,
    receiverCpu: median(measured.map(({ received }) => received.cpu)),
    ...total(all),
  };
}

const IDLE_WEBHOOKS = 200;
const IDLE_WARM_UP = 50;

/** One webhook at a time: how long one takes when nothing else waits. */
export async function runIdleRounds(runRound: () => Promise<Round>): Promise<WebhookMeasurement> {
  const all: Round[] = [];
  while (all.length < IDLE_WARM_UP + IDLE_WEBHOOKS) all.push(await runRound());
  const measured = all.slice(IDLE_WARM_UP);
  const latencies = measured.map((round) => round.receivedAt - round.startedAt).toSorted((left, right) => left - right);
  const rate = 1_000 / (latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length);
  return {
    perSecond: rate,
    rounds: [rate],
    recordedPerSecond: null,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    receiverCpu: median(measured.map(({ received }) => received.cpu)),
    ...total(all),
  };
}

function total(rounds: Round[]): Pick<WebhookMeasurement, 'received' | 'duplicates' | 'bytesPerBody'> {
  const sum = (of: (received: Received) => number) => rounds.reduce((so, { received }) => so + of(received), 0);
  const calls = sum((received) => received.calls);
  return {
    received: sum((received) => received.distinct),
    duplicates: calls - sum((received) => received.distinct),
    bytesPerBody: Math.round(sum((received) => received.bytes) / calls),
  };
}

/** Checks the calls that were kept as a receiver would, with the library of Standard Webhooks. */
export function verifySignatures({ samples }: Received, secrets: string[]): void {
  if (samples.length === 0) throw new Error('No call was kept to be verified.');
  for (const { endpoint, headers, body } of samples) new Webhook(secrets[endpoint] ?? '').verify(body, headers);
}

function seconds(from: number, to: number): number {
  return (to - from) / 1_000;
}

function median(values: number[]): number {
  return quantile(
    values.toSorted((left, right) => left - right),
    0.5,
  );
}
