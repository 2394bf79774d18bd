/** How long a case runs: first unmeasured, so that caches and the JIT are warm, then measured. */
export interface Plan {
  warmUpMs: number;
  measureMs: number;
  /** Stop after so many measured orders even if time is left; null: only the time counts. */
  maxMeasured: number | null;
}

export interface Measurement {
  /** Every accepted order, warm-up and stragglers included: what must be found in the database afterwards. */
  accepted: number;
  /** Accepted orders whose answer came inside the measured window. */
  measured: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** From the first order to the last answer. */
  totalSeconds: number;
  /** How much of one core this client used; near 1, it was the client that was measured. */
  clientCpu: number;
}

/** Places one order and answers its latency in milliseconds, or null when it was refused. */
export type Client = () => Promise<number | null>;

/**
 * A closed loop: each client places its next order when the last one is answered, so the load adapts to what is measured.
 * It finds the highest rate, and a latency at that rate; it does not tell what users who arrive on their own would wait.
 */
export async function runClosedLoop(plan: Plan, clients: Client[]): Promise<Measurement> {
  const startedAt = performance.now();
  const measureFrom = startedAt + plan.warmUpMs;
  const measureUntil = measureFrom + plan.measureMs;
  const cpuBefore = process.cpuUsage();
  const latencies: number[] = [];
  let accepted = 0;
  let endedAt = measureUntil;
  let enough = false;

  const loop = async (place: Client) => {
    while (!enough && performance.now() < measureUntil) {
      const latencyMs = await place();
      const now = performance.now();
      if (latencyMs === null) continue;
      accepted += 1;
      if (now < measureFrom || now >= measureUntil || enough) continue;
      latencies.push(latencyMs);
      if (latencies.length === plan.maxMeasured) {
        enough = true;
        endedAt = now;
      }
    }
  };
  await Promise.all(clients.map(loop));

  const totalSeconds = (performance.now() - startedAt) / 1_000;
  const cpu = process.cpuUsage(cpuBefore);
  latencies.sort((left, right) => left - right);
  return {
    accepted,
    measured: latencies.length,
    perSecond: latencies.length / ((endedAt - measureFrom) / 1_000),
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.at(-1) ?? 0,
    totalSeconds,
    clientCpu: (cpu.user + cpu.system) / 1e6 / totalSeconds,
  };
}

export function quantile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
