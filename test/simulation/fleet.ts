import { silentLog } from '../../src/lib/log.ts';
import { openParts, type Parts } from '../../src/main/parts.ts';
import type { SupplierKind } from '../../src/suppliers/supplier.ts';
import type { Chance } from './chance.ts';
import type { WorldEngine } from './engine.ts';
import { networkOf } from './network.ts';
import { type DatabaseFault, WorldProcess } from './process.ts';
import type { Tally } from './tally.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A process that serves, and what it consists of. */
export interface Running {
  process: WorldProcess;
  parts: Parts;
}

export interface FleetOptions {
  time: VirtualTime;
  engine: WorldEngine;
  chance: Chance;
  tally: Tally;
  kinds: SupplierKind[];
  network: Omit<Parameters<typeof networkOf>[0], 'process'>;
  databaseFaults: () => number;
}

const WRITES_WEIGH = 8;

const CONFIG: Parameters<typeof openParts>[0]['config'] = {
  adminToken: 'the-operator-of-the-world',
  masterKey: Buffer.alloc(32, 7),
  rateLimit: 0,
  databaseReplicaUrl: null,
  requestLogDays: 7,
  eventDays: 180,
  expiredEvents: 'drop',
  currency: 'IDR',
  timeZone: 'Asia/Jakarta',
  role: 'all',
  host: '127.0.0.1',
  port: 3000,
  trustedProxies: [],
  env: 'development',
  publicUrl: 'https://topgate.example',
  exchangeDays: 30,
  webhookAllowedCidrs: [],
};

/** All processes of the installation that run, sleep or start. */
export class Fleet {
  readonly #options: FleetOptions;
  #alive: WorldProcess[] = [];
  #serving: Running[] = [];
  #started = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** Starts a process; null when it died, or could not reach its database, before it served. */
  async start(): Promise<Running | null> {
    const { time, engine, tally, kinds, network } = this.#options;
    const process = new WorldProcess({
      name: `process ${++this.#started}`,
      time,
      engine,
      faultOf: (statements) => this.#databaseFault(statements.map(({ text }) => text)),
      isAlone: () => this.#alive.every((other) => other === process),
    });
    this.#alive.push(process);
    const opening = openParts({
      config: CONFIG,
      database: process.database,
      clock: process.clock,
      log: silentLog,
      version: '0.0.0-world',
      supplierKinds: kinds,
      openWire: () => networkOf({ ...network, process }),
    });
    const parts = await Promise.race([opening.catch(() => null), process.death.then(() => null)]);
    if (parts === null) {
      tally.met('starts that failed');
      tally.happened(`${process.name} could not start`);
      await this.kill(process);
      return null;
    }
    tally.happened(`${process.name} serves`);
    void process.death.then(() => tally.happened(`${process.name} died`));
    const running = { process, parts };
    this.#serving.push(running);
    return running;
  }

  /** Ends a process where it stands. */
  async kill(process: WorldProcess): Promise<void> {
    await process.die();
    this.remove(process);
  }

  /** Nothing new is given to a process that ends. */
  retire(running: Running): void {
    this.#serving = this.#serving.filter((other) => other !== running);
  }

  remove(process: WorldProcess): void {
    this.#alive = this.#alive.filter((other) => other !== process);
    this.#serving = this.#serving.filter((running) => running.process !== process);
  }

  /** Some process that takes requests, or null when none does. */
  pick(chance: Chance, wanted: (process: WorldProcess) => boolean = () => true): Running | null {
    const awake = this.#serving.filter(({ process }) => !process.isAsleep && wanted(process));
    return awake.length === 0 ? null : chance.pick(awake);
  }

  /** How far the clock that is most ahead is ahead: what is due is due by it first. */
  get aheadMs(): number {
    return Math.max(...this.#serving.filter(({ process }) => !process.isAsleep).map(({ process }) => process.skewMs));
  }

  get serving(): readonly Running[] {
    return this.#serving;
  }

  /** Processes that work now. */
  get awake(): number {
    return this.#serving.filter(({ process }) => !process.isAsleep).length;
  }

  #databaseFault(texts: string[]): DatabaseFault {
    const { chance, databaseFaults, tally } = this.#options;
    // What is written matters most, and most of what is sent are looks for work.
    const weight = texts.some((text) => text.includes('insert into')) ? WRITES_WEIGH : 1;
    if (texts.includes('rollback') || !chance.happens(databaseFaults() * weight)) return 'none';
    const fault = chance.weighted<DatabaseFault>([
      [3, 'lost_statement'],
      [3, 'lost_answer'],
      [2, 'deadlock'],
    ]);
    tally.met(`database: ${fault}`);
    return fault;
  }
}
