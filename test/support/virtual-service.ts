import { afterAll, beforeAll } from 'vitest';
import type { Db } from '../../src/db/database.ts';
import type { ServiceDeps } from '../../src/main/service.ts';
import { openInMemory, type TestDatabase } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { leapTime, passTime } from './pass-time.ts';
import { openTestService, type TestReseller, type TestService } from './service.ts';

export interface VirtualService {
  topgate(): TestService;
  /** A reseller who can pay for everything. */
  reseller(): TestReseller;
  /** Waits until the service has done all it can do at this moment. */
  settle(): Promise<void>;
  /** Lets time pass in small steps, with everything that is due done at its own moment. */
  pass(durationMs: number): Promise<void>;
  /** Lets long times pass in leaps of `leapMs`: what is due in between is done at the end of the leap. */
  leap(durationMs: number, leapMs: number): Promise<void>;
  db(): Db;
}

/** The whole service, for all tests of a file, on a clock that only they move. */
export function virtualService(
  options: Pick<Partial<ServiceDeps>, 'supplierKinds' | 'openWire' | 'webhookSender' | 'log'> & { clock?: FakeClock } = {},
): VirtualService {
  const { clock = new FakeClock() } = options;
  let database: TestDatabase;
  let topgate: TestService;
  let reseller: TestReseller;

  beforeAll(async () => {
    database = await openInMemory();
    topgate = await openTestService(database, { ...options, clock });
    reseller = await topgate.reseller({ balance: 100_000_000 });
  });
  afterAll(async () => {
    await clock.passUntil(topgate.stop());
    await database.drop();
  });

  return {
    topgate: () => topgate,
    reseller: () => reseller,
    settle: () => database.idle(),
    db: () => database.database.db,
    leap: (durationMs, leapMs) => leapTime(clock, database, durationMs, leapMs),
    pass: (durationMs) => passTime(clock, database, durationMs),
  };
}
