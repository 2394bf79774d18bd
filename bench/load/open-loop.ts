import type { Connection } from './connection.ts';
import { arrivalTimes, quantile } from './numbers.ts';
import type { RequestSource } from './requests.ts';
import { Tally } from './tally.ts';
import type { Arrivals, LoadReport } from './task.ts';

/** Nobody waits for ever: what is not sent so long after the schedule's end is counted as unsent. */
const GIVE_UP_MS = 10_000;
const TICK_MS = 1;

/** Sends each request at its scheduled time, or as soon as a connection is free; latency counts from the schedule either way. */
export async function runOpenLoop(
  connections: Connection[],
  source: RequestSource,
  { warmUpMs, measureMs, perSecond }: Extract<Arrivals, { kind: 'open' }>,
  ports: number,
): Promise<LoadReport> {
  const schedule = arrivalTimes(perSecond, warmUpMs + measureMs);
  const tally = new Tally(source, ports);
  const free = [...connections];
  const lateness: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  let due = 0;
  /** Arrivals before this one were looked at when they were due: sent, or counted as overruns. */
  let judged = 0;
  let overruns = 0;
  let isGivenUp = false;

  await new Promise<void>((ended) => {
    const ticker = setInterval(() => {
      send();
      isGivenUp = performance.now() - startedAt > warmUpMs + measureMs + GIVE_UP_MS;
      if ((next < schedule.length && !isGivenUp) || free.length < connections.length) return;
      clearInterval(ticker);
      ended();
    }, TICK_MS);
  });
  // A schedule that was not kept took longer than planned, and its rate is the lower for it.
  return tally.report(Math.max(measureMs, performance.now() - startedAt - warmUpMs - TICK_MS), {
    offeredPerSecond: perSecond,
    overruns,
    unsent: schedule.length - next,
    latenessP99Ms: quantile(Float64Array.from(lateness).sort(), 0.99),
  });

  /** Sends what is due, as far as connections are free; what is left over has overrun them. */
  function send(): void {
    const now = performance.now() - startedAt;
    while (due < schedule.length && (schedule[due] ?? 0) <= now) due += 1;
    while (next < due && !isGivenUp) {
      const connection = free.pop();
      if (connection === undefined) break;
      if (next >= judged) lateness.push(now - (schedule[next] ?? 0));
      sendOne(connection, next++);
    }
    overruns += Math.max(0, due - Math.max(judged, next));
    judged = due;
  }

  function sendOne(connection: Connection, number: number): void {
    const scheduledAt = schedule[number] ?? 0;
    connection.send(source.text(number), (answer) => {
      const latencyMs = performance.now() - startedAt - scheduledAt;
      tally.take(number, connection, answer, latencyMs, scheduledAt >= warmUpMs);
      free.push(connection);
      send();
    });
  }
}
