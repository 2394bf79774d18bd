import { openCallbackDesk, startCallbackWorker } from '../callbacks/index.ts';
import { openCatalogCache } from '../catalog/index.ts';
import { createWire, openRegistry, type SupplierRegistry, startBalancePoller, startHoldKeeper } from '../connections/index.ts';
import { type ClockWatch, ONE_CLOCK, watchClock } from '../db/clock-watch.ts';
import type { Database } from '../db/database.ts';
import { openReplica, type Reads, readPrimary } from '../db/replica.ts';
import { type RevisionWatch, watchRevisions } from '../db/revisions.ts';
import { openExchangeLog } from '../exchanges/index.ts';
import { type JobTotals, startJobs } from '../jobs/index.ts';
import { type Clock, SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createSecretBox, type SecretBox } from '../lib/secret-box.ts';
import { UnderWay } from '../lib/under-way.ts';
import { openSettings } from '../operators/index.ts';
import {
  leaveToWorkers,
  openAdmissionQueue,
  openSettlementQueue,
  releaseLeases,
  startDispatcher,
  type ViewSettings,
} from '../orders/index.ts';
import { createNicknameLookup } from '../players/index.ts';
import type { NightlyAudit } from '../reports/index.ts';
import { openRequestLog } from '../request-log/index.ts';
import { openAccess, openRateLimit } from '../resellers/index.ts';
import { openRouting, type Routing } from '../routing/index.ts';
import { openHealthBook } from '../supplier-health/index.ts';
import type { ObserveCall, SupplierKind, Wire } from '../suppliers/index.ts';
import { openSandboxBook, sandboxKind } from '../suppliers/sandbox/index.ts';
import {
  createNetworkGuard,
  createWebhookSender,
  type NetworkGuard,
  prepareMonths,
  releaseEndpoints,
  startDeliverer,
  type WebhookSender,
} from '../webhooks/index.ts';
import type { Config } from './config.ts';
import { listJobs } from './jobs.ts';
import { createNotifier } from './notifier.ts';
import { SUPPLIER_KINDS } from './supplier-kinds.ts';

export interface ServiceDeps {
  config: Omit<Config, 'databaseUrl' | 'databaseDirectUrl' | 'dataDir'>;
  database: Database;
  clock: Clock;
  log: Log;
  version: string;
  /** Further adapters. */
  supplierKinds?: SupplierKind[];
  /** Makes the calls to suppliers; over the network when not given. */
  openWire?: (proxyUrl: string | null) => Wire;
  /** Makes the calls to webhook endpoints; over the network when not given. */
  webhookSender?: WebhookSender;
  /** Whether our clock is held against the database's; tests that own the time have one of their own. */
  watchesClock?: boolean;
  /** Whether work of times of the day is scheduled; most tests do it by hand. */
  runsJobs?: boolean;
  /** Orders that may wait for the disk; one more is answered `503 overloaded`. */
  admissionLimit?: number;
}

/** Everything that lives as long as the service: caches, queues, and in a worker what works them off. */
export type Parts = Awaited<ReturnType<typeof openParts>>;

const ADMISSION_LIMIT = 10_000;
/** Several batches may be on their way to a server's disk at once; the embedded engine runs one transaction at a time anyway. */
const ADMISSION_LANES = { embedded: 1, postgres: 2 } as const;
/** What an API process has done about them. */
const NO_WEBHOOKS = { succeeded: 0, failed: 0, disabled: 0 };
const NO_JOBS: JobTotals = {};
const STOP_LIMIT_MS = 5 * SECOND_MS;

/** Opens all rooms, in the order in which they need each other. */
export async function openParts(deps: ServiceDeps) {
  const { config, database, clock, log } = deps;
  const { db } = database;
  const view = { currency: config.currency, timeZone: config.timeZone };
  const secretBox = createSecretBox(config.masterKey);
  const reads = await openReads(deps);
  const revisions = watchRevisions(db, clock, log);
  const suppliers = await openSuppliers(deps, { secretBox, revisions });
  const { registry, routing } = suppliers;
  const catalog = await openCatalogCache(db, revisions);
  const access = await openAccess({ db, clock, secretBox, revisions });
  const settings = await openSettings(db, revisions);
  const requestLog = openRequestLog({ db, clock, log, days: config.requestLogDays });
  const rateLimit = await openRateLimit({ database, clock, log, perSecond: config.role === 'worker' ? 0 : config.rateLimit });
  const nicknames = createNicknameLookup({ clock, routing });
  const networkGuard = createNetworkGuard(config.webhookAllowedCidrs);

  await prepareMonths({ db, clock, log });
  if (config.role !== 'api') await takeUpWhatWasHeld(database, clock);
  const writing = new UnderWay(clock);
  const clockWatch = deps.watchesClock && database.engine === 'postgres' ? await watchClock({ db, clock, log }) : ONE_CLOCK;
  const workers = startWorkers(deps, { view, secretBox, registry, routing, networkGuard, writing, clockWatch });
  const callbackDesk = openCallbackDesk({ db, clock, registry, wake: workers.wakeCallbacks });
  const nightly = startNightly(deps, { registry, revisions });
  const admissions = openAdmissionQueue({
    db,
    clock,
    currency: config.currency,
    claimNew: workers.claimNew,
    lanes: ADMISSION_LANES[database.engine],
    writing,
    maxQueue: deps.admissionLimit ?? ADMISSION_LIMIT,
  });

  return {
    config,
    database,
    db,
    clock,
    log,
    view,
    secretBox,
    reads,
    revisions,
    registry,
    routing,
    exchangeLog: suppliers.exchangeLog,
    health: suppliers.health,
    catalog,
    access,
    settings,
    requestLog,
    rateLimit,
    nicknames,
    networkGuard,
    admissions,
    wakeDispatcher: workers.wakeDispatcher,
    wakeDeliverer: workers.wakeDeliverer,
    wakeCallbacks: workers.wakeCallbacks,
    callbackDesk,
    stopListening: workers.stopListening,
    /** Items that wait for the disk. */
    waiting: () => ({ admissions: admissions.length, settlements: workers.settlements.length }),
    /** For how long the oldest batch of orders has been on its way to the disk. */
    writingForMs: () => writing.longestMs,
    clockWatch,
    ordersTaken: () => workers.dispatcher?.taken ?? 0,
    ...nightly,
    webhookTotals: () => workers.deliverer?.totals ?? NO_WEBHOOKS,
    /** After the last request was taken: finishes what is under way, and lets go. */
    async close() {
      await admissions.drain();
      await requestLog.stop();
      await nightly.jobs?.stop(STOP_LIMIT_MS);
      await workers.callbackWorker?.stop(STOP_LIMIT_MS);
      await workers.dispatcher?.stop(STOP_LIMIT_MS);
      await workers.settlements.drain();
      await workers.deliverer?.stop(STOP_LIMIT_MS);
      await workers.notifier.stop();
      await suppliers.stop();
      await rateLimit.stop();
      await revisions.stop();
      await reads.stop();
      await clockWatch.stop();
    },
  };
}

/** Only API processes read for others. */
function openReads({ config, database, clock, log }: ServiceDeps): Reads | Promise<Reads> {
  const { databaseReplicaUrl: url, role } = config;
  const primary = database.db;
  return url === null || role === 'worker' ? readPrimary(primary) : openReplica({ url, primary, clock, log });
}

/** The suppliers, those who keep records of how they answer, and in a worker who reads our balances there. */
async function openSuppliers(deps: ServiceDeps, { secretBox, revisions }: { secretBox: SecretBox; revisions: RevisionWatch }) {
  const { config, database, clock, log } = deps;
  const { db } = database;
  const kinds = [sandboxKind(openSandboxBook(db)), ...SUPPLIER_KINDS, ...(deps.supplierKinds ?? [])];
  const openWire = deps.openWire ?? ((proxyUrl: string | null) => createWire({ proxyUrl, version: deps.version }));
  const health = await openHealthBook({ db, clock, log });
  const exchangeLog = openExchangeLog({ db, clock, log, days: config.exchangeDays });
  const observers: ObserveCall[] = [exchangeLog.observe, health.observe];
  const observe: ObserveCall = (call) => {
    for (const tell of observers) tell(call);
  };
  const registry = await openRegistry({
    db,
    clock,
    log,
    secretBox,
    revisions,
    kinds,
    openWire,
    observe,
  });
  const routing = await openRouting({ db, clock, registry, revisions, healthOf: health.of, timeZone: config.timeZone });
  const holdKeeper = startHoldKeeper({ db, clock, log, revisions, registry });
  observers.push(holdKeeper.observe);
  const balances = config.role === 'api' ? null : startBalancePoller({ db, clock, log, revisions, registry });
  return {
    registry,
    routing,
    health,
    exchangeLog,
    async stop() {
      await balances?.stop(STOP_LIMIT_MS);
      await holdKeeper.stop();
      await health.stop();
      registry.close();
      await exchangeLog.stop();
    },
  };
}

/** The queue of what suppliers answered, and in a worker those who deliver orders and webhooks. An API process only wakes them. */
function startWorkers(
  { config, database, clock, log, version, webhookSender }: ServiceDeps,
  parts: {
    view: ViewSettings;
    secretBox: SecretBox;
    registry: SupplierRegistry;
    routing: Routing;
    networkGuard: NetworkGuard;
    writing: UnderWay;
    clockWatch: ClockWatch;
  },
) {
  const { db } = database;
  const { view, secretBox, registry, routing, networkGuard, writing, clockWatch } = parts;
  const notifier = createNotifier(database, clock, log);
  const sender = webhookSender ?? createWebhookSender({ clock, guard: networkGuard, version });
  const isWorker = config.role !== 'api';
  const deliverer = isWorker ? startDeliverer({ db, clock, log, secretBox, sender, timeZone: view.timeZone }) : null;
  const wakeDeliverer = () => (deliverer ? deliverer.wake() : notifier.notify());
  const settlements = openSettlementQueue({ db, clock, log, registry, routing, view, onEvents: wakeDeliverer, writing });
  const dispatcher = isWorker
    ? startDispatcher({
        db,
        clock,
        log,
        registry,
        routing,
        settlements,
        timeZone: view.timeZone,
        mayTake: () => !clockWatch.isFarOff(),
      })
    : null;
  const wakeDispatcher = () => (dispatcher ? dispatcher.wake() : notifier.notify());
  const claimNew = dispatcher ? dispatcher.claimNew : leaveToWorkers(() => notifier.notify());
  const callbackWorker = isWorker ? startCallbackWorker({ db, clock, log, registry, wakeDispatcher }) : null;
  const wakeCallbacks = () => (callbackWorker ? callbackWorker.wake() : notifier.notify());
  const wakeAll = () => {
    dispatcher?.wake();
    deliverer?.wake();
    callbackWorker?.wake();
  };
  const stopListening = isWorker && database.engine === 'postgres' ? database.listen('work', wakeAll) : () => {};
  return {
    notifier,
    deliverer,
    wakeDeliverer,
    settlements,
    dispatcher,
    wakeDispatcher,
    claimNew,
    callbackWorker,
    wakeCallbacks,
    stopListening,
  };
}

/** What is due at times of the day, and what is known of it. */
function startNightly(
  { config, database, clock, log, runsJobs }: ServiceDeps,
  parts: { registry: SupplierRegistry; revisions: RevisionWatch },
) {
  let violations = 0;
  const onAudit = (audit: NightlyAudit) => {
    violations = audit.violations;
  };
  const list = listJobs({ config, database, clock, log, onAudit, ...parts });
  const isWorker = config.role !== 'api';
  const jobs = runsJobs ? startJobs({ database, clock, log, timeZone: config.timeZone, isWorker, jobs: list }) : null;
  return {
    jobs,
    jobTotals: () => jobs?.totals ?? NO_JOBS,
    /** Rows that the last audit of this process found to break a rule. */
    auditViolations: () => violations,
  };
}

/** A lone worker knows that whoever held orders before its start is gone; among several, leases run out by themselves. */
async function takeUpWhatWasHeld(database: Database, clock: Clock): Promise<void> {
  if (!(await database.announceWorker())) return;
  await releaseLeases(database.db, clock.now());
  await releaseEndpoints(database.db, clock.now());
}
