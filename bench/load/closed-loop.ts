import type { Connection } from './connection.ts';
import type { RequestSource } from './requests.ts';
import { Tally } from './tally.ts';
import type { Arrivals, LoadReport } from './task.ts';

/** Each connection sends its next request when the last one is answered, until the time is up. */
export async function runClosedLoop(
  connections: Connection[],
  source: RequestSource,
  { warmUpMs, measureMs, limit, pauseMs }: Extract<Arrivals, { kind: 'closed' }>,
  ports: number,
): Promise<LoadReport> {
  const tally = new Tally(source, ports);
  const measureFrom = performance.now() + warmUpMs;
  const measureUntil = measureFrom + measureMs;
  let sent = 0;
  let endedAt = measureUntil;
  let enough = false;

  await Promise.all(connections.map((connection) => new Promise<void>((resolve) => sendNext(connection, resolve))));
  return tally.report(endedAt - measureFrom, null);

  function sendNext(connection: Connection, ended: () => void): void {
    const number = sent++;
    const sentAt = performance.now();
    connection.send(source.text(number), (answer) => {
      const now = performance.now();
      tally.take(number, connection, answer, now - sentAt, now >= measureFrom && now < measureUntil && !enough);
      if (!enough && tally.latencies.length === limit) {
        enough = true;
        endedAt = now;
      }
      if (enough || now >= measureUntil) ended();
      else if (pauseMs > 0) setTimeout(sendNext, pauseMs, connection, ended);
      else sendNext(connection, ended);
    });
  }
}
