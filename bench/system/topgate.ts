import type { Context } from '../case.ts';
import { SERVICE_CODE } from '../load/requests.ts';
import type { Arrivals, LoadReport, Requests } from '../load/task.ts';
import type { Details, Sample } from '../report/figures.ts';
import { ask } from './admin.ts';
import type { Engine, Installation } from './installations.ts';
import { readCpuSeconds, readFamilyCpuSeconds } from './processes.ts';
import { type BenchServer, type Role, startServer } from './server.ts';
import { readTotals, untilDelivered, verifyAudit, verifyTotals } from './verify.ts';

export interface TopgateOptions {
  engine: Engine;
  /** A process for each; they share one PostgreSQL. */
  roles: Role[];
  resellers: number;
  /** An installation that is there already and stays; left out: a new one, for this measurement alone. */
  installation?: Installation;
  /** The audit reads every row; it is left out only where rows were made without Topgate. */
  isAudited?: boolean;
}

/** A Topgate that runs on an installation, as cases see it. */
export interface Topgate {
  installation: Installation;
  /** The process that answers questions of the benchmark. */
  server: BenchServer;
  servers: BenchServer[];
  /** New orders. Everything accepted here is looked for at the end. */
  order(load: OrderLoad): Promise<Loaded>;
  /** The first orders of the last `order`, again: known by their `ref_id`. */
  replay(load: OrderLoad & { known: number }): Promise<Loaded>;
  read(load: { connections: number; arrivals: Arrivals; requests: Extract<Requests, { kind: 'reads' }> }): Promise<Loaded>;
}

export interface OrderLoad {
  connections: number;
  arrivals: Arrivals;
  choice?: 'even' | 'zipf';
}

export interface Loaded {
  report: LoadReport;
  /** The `ref_id` of the order with a number; nothing where no orders were sent. */
  refId: (number: number) => string;
  /** CPU time of all of Topgate's processes for each answer, warm-up included; null where there is no /proc. */
  serverMicros: number | null;
  /** The same of PostgreSQL; null for the embedded engine, which is part of the server. */
  databaseMicros: number | null;
  ordersPerFsync: number | null;
  /** Orders paid and delivered a second, counted until the last delivery; null where nothing is delivered. */
  deliveredPerSecond: number | null;
}

/** More than it will answer in a second, so that signing is done before the clock runs. */
const PREPARED_PER_SECOND = 10_000;

let loads = 0;

/** Starts Topgate, lets `work` load it, and holds it to account: every accepted order is there, paid for, and delivered. */
export async function withTopgate<Result>(
  context: Context,
  options: TopgateOptions,
  work: (topgate: Topgate) => Promise<Result>,
): Promise<Result> {
  const installation = options.installation ?? (await context.installations.open(options.engine, options.resellers));
  const servers: BenchServer[] = [];
  for (const role of options.roles) servers.push(await startServer({ ...installation, role }));
  try {
    return await run();
  } catch (error) {
    // If a server fell, its own last words say why.
    const falls = (await Promise.allSettled(servers.map((server) => server.stop()))).filter(
      ({ status }) => status === 'rejected',
    );
    throw new Error(`${options.engine}, ROLE=${options.roles}: ${String(error)}`, { cause: falls[0] ?? error });
  } finally {
    if (!options.installation) await installation.discard();
  }

  async function run(): Promise<Result> {
    const doors = servers.filter((_, index) => options.roles[index] !== 'worker');
    const server = doors[0];
    if (!server) throw new Error('No process takes orders.');
    const delivers = options.roles.some((role) => role !== 'api');
    const session = new Session(context, options, installation, { server, servers, doors, delivers });
    const before = await readTotals(server, installation);
    const price = await readPrice(server, installation);
    const result = await work(session);
    const after = await readTotals(server, installation);
    verifyTotals(before, after, { accepted: session.accepted, price, delivered: delivers });
    if (options.isAudited !== false) await verifyAudit(server);
    for (const process of servers) await process.stop();
    const deadlocks = installation.databaseUrl === null ? 0 : await context.postgres.countDeadlocks(installation.databaseUrl);
    if (deadlocks > 0)
      context.step(`${deadlocks} deadlocks: transactions that PostgreSQL sacrificed, each after waiting a second`);
    return result;
  }
}

class Session implements Topgate {
  readonly installation: Installation;
  readonly server: BenchServer;
  readonly servers: BenchServer[];
  accepted = 0;
  readonly #context: Context;
  readonly #options: TopgateOptions;
  readonly #ports: number[];
  readonly #delivers: boolean;
  #prefix = '';

  constructor(
    context: Context,
    options: TopgateOptions,
    installation: Installation,
    parts: { server: BenchServer; servers: BenchServer[]; doors: BenchServer[]; delivers: boolean },
  ) {
    this.#context = context;
    this.#options = options;
    this.installation = installation;
    this.server = parts.server;
    this.servers = parts.servers;
    this.#ports = parts.doors.map(({ port }) => port);
    this.#delivers = parts.delivers;
  }

  async order(load: OrderLoad): Promise<Loaded> {
    this.#prefix = `B-${process.pid}-${++loads}`;
    const fsyncsBefore = await this.#context.postgres.countFsyncs();
    const loaded = await this.#load(load, this.#orders(load, null));
    this.accepted += loaded.report.accepted;
    const waited = this.#delivers ? await untilDelivered(this.server, this.installation) : null;
    const fsyncs = (await this.#context.postgres.countFsyncs()) - fsyncsBefore;
    const { accepted, totalSeconds } = loaded.report;
    return {
      ...loaded,
      ordersPerFsync: this.#options.engine === 'postgres' ? accepted / fsyncs : null,
      deliveredPerSecond: waited === null ? null : accepted / (totalSeconds + waited),
    };
  }

  replay(load: OrderLoad & { known: number }): Promise<Loaded> {
    return this.#load(load, this.#orders(load, load.known));
  }

  read(load: { connections: number; arrivals: Arrivals; requests: Requests }): Promise<Loaded> {
    return this.#load(load, load.requests);
  }

  #orders({ arrivals, choice }: OrderLoad, replaysOf: number | null): Requests {
    const perSecond = arrivals.kind === 'open' ? arrivals.perSecond * 1.05 : PREPARED_PER_SECOND;
    const seconds = (arrivals.warmUpMs + arrivals.measureMs) / 1_000;
    const limit = arrivals.kind === 'closed' && arrivals.limit !== null ? arrivals.limit : Number.POSITIVE_INFINITY;
    const prepare = replaysOf ?? Math.ceil(Math.min(seconds * perSecond, limit * 1.2));
    const { resellers } = this.installation;
    return { kind: 'orders', resellers, choice: choice ?? 'even', prefix: this.#prefix, prepare, replaysOf };
  }

  async #load({ connections, arrivals }: OrderLoad, requests: Requests): Promise<Loaded> {
    const { postgres } = this.#context;
    const serverBefore = this.#serverCpu();
    const databaseBefore = readFamilyCpuSeconds(postgres.pid);
    const report = await this.#context.load({ ports: this.#ports, connections, arrivals, requests });
    const serverAfter = this.#serverCpu();
    const databaseAfter = readFamilyCpuSeconds(postgres.pid);
    const micros = (before: number | null, after: number | null) =>
      before === null || after === null ? null : ((after - before) * 1e6) / report.accepted;
    const prefix = this.#prefix;
    return {
      report,
      refId: (number) => `${prefix}-${number}`,
      serverMicros: micros(serverBefore, serverAfter),
      databaseMicros: this.#options.engine === 'postgres' ? micros(databaseBefore, databaseAfter) : null,
      ordersPerFsync: null,
      deliveredPerSecond: null,
    };
  }

  #serverCpu(): number | null {
    let total = 0;
    for (const server of this.servers) total += readCpuSeconds(server.pid()) ?? Number.NaN;
    return Number.isNaN(total) ? null : total;
  }
}

/** What one order of the benchmark costs, from the catalogue. */
async function readPrice({ port }: BenchServer, { resellers: [reseller] }: Installation): Promise<number> {
  if (!reseller) throw new Error('No resellers to ask as.');
  const url = '/api/service?product_code=MLBB';
  const { data } = await ask<{ service_code: string; price: number }[]>(port, reseller.token, 'GET', url);
  const service = data.find(({ service_code: code }) => code === SERVICE_CODE);
  if (!service) throw new Error(`The catalogue has no ${SERVICE_CODE}.`);
  return service.price;
}

export function toSample({ report, ...loaded }: Loaded, setting: string): Sample {
  return {
    setting,
    value: report.perSecond,
    details: {
      ...latencyDetails(report),
      'delivered/s': loaded.deliveredPerSecond,
      'orders/fsync': loaded.ordersPerFsync,
      'server µs': loaded.serverMicros,
      'database µs': loaded.databaseMicros,
      'client µs': report.clientMicros,
    },
  };
}

export function latencyDetails({ p50Ms, p99Ms, maxMs }: Pick<LoadReport, 'p50Ms' | 'p99Ms' | 'maxMs'>): Details {
  return { 'p50 ms': p50Ms, 'p99 ms': p99Ms, 'max ms': maxMs };
}

export function connectionsText(connections: number): string {
  return `${connections} connection${connections === 1 ? '' : 's'}`;
}
