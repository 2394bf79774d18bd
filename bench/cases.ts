import { runBaseline } from './baseline.ts';
import type { Plan } from './closed-loop.ts';
import { runLoad } from './load-process.ts';
import type { BenchPostgres } from './postgres.ts';
import type { Result, Workload } from './report.ts';
import { addResellers, type Role, readPrice, startServer } from './server.ts';
import { untilDelivered, verifyServer } from './verify.ts';

export interface CaseSettings {
  postgres: BenchPostgres;
  workload: Workload;
  connections: number;
  plan: Plan;
}

const RESELLERS: Record<Workload, number> = { hot: 1, spread: 100, idle: 1 };

/** The usual design on a database of its own. */
export async function runBaselineCase(settings: CaseSettings): Promise<Result> {
  const { postgres, workload, connections, plan } = settings;
  const url = await postgres.createDatabase();
  const fsyncsBefore = await postgres.countFsyncs();
  const measurement = await runBaseline(url, { accounts: RESELLERS[workload], connections, plan });
  const fsyncs = (await postgres.countFsyncs()) - fsyncsBefore;
  const deadlocks = await postgres.countDeadlocks(url);
  await postgres.dropDatabase(url);
  return {
    workload,
    name: `baseline: a transaction per order, no HTTP, ${connections} connection${connections === 1 ? '' : 's'}`,
    isBaseline: true,
    measurement,
    deliveredPerSecond: null,
    ordersPerFsync: measurement.accepted / fsyncs,
    deadlocks,
  };
}

/** Topgate in its own process, with an empty database, under signed orders over HTTP. */
export async function runServerCase(settings: CaseSettings & { engine: 'embedded' | 'postgres'; role: Role }): Promise<Result> {
  const { postgres, workload, connections, plan, engine, role } = settings;
  const databaseUrl = engine === 'postgres' ? await postgres.createDatabase() : null;
  const fsyncsBefore = await postgres.countFsyncs();
  const server = await startServer({ role, databaseUrl });
  const delivered = role === 'all';
  const measured = await measure().catch(async (error: unknown) => {
    // If the server fell, its own last words say why; stopping it then throws them.
    const fall = await server.stop().catch((reason: unknown) => reason);
    throw new Error(`${workload}, ${engine}, ROLE=${role}: ${String(error)}`, { cause: fall ?? error });
  });
  await server.stop();
  const fsyncs = (await postgres.countFsyncs()) - fsyncsBefore;
  const deadlocks = databaseUrl === null ? null : await postgres.countDeadlocks(databaseUrl);
  if (databaseUrl !== null) await postgres.dropDatabase(databaseUrl);
  const { report, deliverySeconds } = measured;
  return {
    workload,
    name: `Topgate, ${engine}: ${delivered ? 'orders and their delivery' : 'orders only (ROLE=api)'}`,
    isBaseline: false,
    measurement: report,
    deliveredPerSecond: delivered ? report.accepted / (report.totalSeconds + deliverySeconds) : null,
    ordersPerFsync: databaseUrl === null ? null : report.accepted / fsyncs,
    deadlocks,
  };

  async function measure() {
    const resellers = await addResellers(server, RESELLERS[workload]);
    const price = await readPrice(server, resellers);
    const report = await runLoad({ port: server.port, connections, plan, resellers });
    const deliverySeconds = delivered ? await untilDelivered(server) : 0;
    await verifyServer(server, { accepted: report.accepted, price, delivered });
    return { report, deliverySeconds };
  }
}
