import { createWire, openRegistry, type SupplierRegistry } from '../../src/connections/index.ts';
import type { Database } from '../../src/db/database.ts';
import { type RevisionWatch, watchRevisions } from '../../src/db/revisions.ts';
import { silentLog } from '../../src/lib/log.ts';
import { createSecretBox, type SecretBox } from '../../src/lib/secret-box.ts';
import { openSandboxBook, sandboxKind } from '../../src/suppliers/sandbox/index.ts';
import type { SupplierKind } from '../../src/suppliers/supplier.ts';
import { FakeClock } from './fake-clock.ts';

/** The suppliers of an installation without the rest of it, and what their rooms' use-cases need. */
export interface RegistryFixture {
  deps: {
    db: Database['db'];
    clock: FakeClock;
    secretBox: SecretBox;
    revisions: RevisionWatch;
    registry: SupplierRegistry;
    view: { currency: string };
  };
  stop(): Promise<void>;
}

export async function openRegistryFixture({ db }: Database, kinds: SupplierKind[]): Promise<RegistryFixture> {
  const clock = new FakeClock();
  const secretBox = createSecretBox(Buffer.alloc(32, 7));
  const revisions = watchRevisions(db, clock, silentLog);
  const registry = await openRegistry({
    db,
    clock,
    log: silentLog,
    secretBox,
    revisions,
    kinds: [sandboxKind(openSandboxBook(db)), ...kinds],
    openWire: (proxyUrl) => createWire({ proxyUrl, version: '0.0.0-test' }),
    observe: () => undefined,
  });
  return {
    deps: { db, clock, secretBox, revisions, registry, view: { currency: 'IDR' } },
    async stop() {
      registry.close();
      await clock.passUntil(revisions.stop());
    },
  };
}
