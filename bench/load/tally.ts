import type { Answer, Connection } from './connection.ts';
import { quantile } from './numbers.ts';
import type { RequestSource } from './requests.ts';
import type { LoadReport, OpenReport } from './task.ts';

/** One answer in so many is parsed as a whole. */
const PARSE_EVERY = 50;

/** Counts answers, and tells right ones from wrong ones. */
export class Tally {
  accepted = 0;
  wrong = 0;
  readonly latencies: number[] = [];
  readonly #acceptedByPort: number[];
  readonly #source: RequestSource;
  readonly #startedAt = performance.now();
  readonly #cpu = process.cpuUsage();
  #parsed = 0;
  #firstWrong: string | null = null;

  constructor(source: RequestSource, ports: number) {
    this.#source = source;
    this.#acceptedByPort = new Array<number>(ports).fill(0);
  }

  /** Takes an answer; its latency counts when it is right and `isMeasured`. */
  take(number: number, { port }: Connection, answer: Answer, latencyMs: number, isMeasured: boolean): void {
    const isSample = number % PARSE_EVERY === 0;
    if (isSample) this.#parsed += 1;
    if (!this.#source.isRight(number, answer) || (isSample && !this.#source.isWhollyRight(number, answer))) {
      this.wrong += 1;
      this.#firstWrong ??= answer.text.slice(0, 2_000);
      return;
    }
    this.accepted += 1;
    this.#acceptedByPort[port] = (this.#acceptedByPort[port] ?? 0) + 1;
    if (isMeasured) this.latencies.push(latencyMs);
  }

  report(windowMs: number, open: OpenReport | null): LoadReport {
    const totalSeconds = (performance.now() - this.#startedAt) / 1_000;
    const { user, system } = process.cpuUsage(this.#cpu);
    const sorted = Float64Array.from(this.latencies).sort();
    return {
      accepted: this.accepted,
      acceptedByPort: this.#acceptedByPort,
      measured: sorted.length,
      perSecond: sorted.length / (windowMs / 1_000),
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      maxMs: sorted.at(-1) ?? 0,
      totalSeconds,
      clientMicros: (user + system) / Math.max(1, this.accepted),
      clientCpu: (user + system) / 1e6 / totalSeconds,
      parsed: this.#parsed,
      wrong: this.wrong,
      firstWrong: this.#firstWrong,
      open,
    };
  }
}
