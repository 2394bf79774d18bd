import { afterAll, beforeAll } from 'vitest';
import { openInMemory, type TestDatabase } from '../../../test/support/engines.ts';
import { openTestService, type TestReseller, type TestService } from '../../../test/support/service.ts';
import { Topgate, type TopgateOptions } from '../../src/index.ts';

export interface LiveService {
  url(): string;
  service(): TestService;
  /** A new reseller with a test balance, and its client. */
  join(options?: Partial<TopgateOptions> & { balance?: number }): Promise<{ reseller: TestReseller; topgate: Topgate }>;
}

/** The real service on a port of the loopback, for all tests of a file. */
export function liveService(): LiveService {
  let database: TestDatabase;
  let service: TestService;
  let url: string;

  beforeAll(async () => {
    database = await openInMemory();
    service = await openTestService(database);
    url = await service.service.app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  return {
    url: () => url,
    service: () => service,
    async join({ balance = 1_000_000, ...options } = {}) {
      const reseller = await service.reseller({ balance });
      const topgate = new Topgate({ baseUrl: url, token: reseller.token, signingSecret: reseller.secret, ...options });
      return { reseller, topgate };
    },
  };
}
