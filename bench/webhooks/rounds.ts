import { Webhook } from 'standardwebhooks';
import { median, quantile } from '../load/numbers.ts';
import type { Details, Sample } from '../report/figures.ts';
import type { Received } from './receiver-process.ts';

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
const MEASURED_ROUNDS = 3;

/** The rate at which a backlog is received: the median of the rounds. */
export async function runBacklogRounds(setting: string, runRound: () => Promise<Round>): Promise<Sample> {
  const all: Round[] = [];
  while (all.length <= MEASURED_ROUNDS) all.push(await runRound());
  const measured = all.slice(1);
  const recorded = measured.flatMap((round) => (round.recordedAt === null ? [] : [rate(round, round.recordedAt)]));
  return {
    setting,
    value: median(measured.map((round) => rate(round, round.receivedAt))),
    details: {
      'recorded/s': recorded.length === 0 ? null : median(recorded),
      ...total(all),
      'receiver CPU %': median(measured.map(({ received }) => received.cpu)) * 100,
    },
  };
}

const IDLE_WEBHOOKS = 100;
const IDLE_WARM_UP = 30;

/** One webhook at a time: how long one takes when nothing else waits, from its cause to its receipt. */
export async function runIdleRounds(runRound: () => Promise<Round>): Promise<Sample> {
  const all: Round[] = [];
  while (all.length < IDLE_WARM_UP + IDLE_WEBHOOKS) all.push(await runRound());
  const measured = all.slice(IDLE_WARM_UP);
  const latencies = measured.map((round) => round.receivedAt - round.startedAt).toSorted((left, right) => left - right);
  return {
    setting: 'one after the other',
    value: quantile(latencies, 0.5),
    details: { 'p99 ms': quantile(latencies, 0.99), ...total(all) },
  };
}

function rate({ startedAt, received }: Round, endedAt: number): number {
  return received.distinct / ((endedAt - startedAt) / 1_000);
}

/** Of all rounds, the unmeasured one too. */
function total(rounds: Round[]): Details {
  const sum = (of: (received: Received) => number) => rounds.reduce((so, { received }) => so + of(received), 0);
  const calls = sum((received) => received.calls);
  return {
    twice: String(calls - sum((received) => received.distinct)),
    'bytes each': sum((received) => received.bytes) / calls,
  };
}

/** Checks the calls that were kept as a receiver would, with the library of Standard Webhooks. */
export function verifySignatures({ samples }: Received, secrets: string[]): void {
  if (samples.length === 0) throw new Error('No call was kept to be verified.');
  for (const { endpoint, headers, body } of samples) new Webhook(secrets[endpoint] ?? '').verify(body, headers);
}
