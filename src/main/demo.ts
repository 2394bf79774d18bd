import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { importCatalog } from '../catalog/index.ts';
import type { Database } from '../db/database.ts';
import { watchRevisions } from '../db/revisions.ts';
import type { Clock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { createSecretBox } from '../lib/secret-box.ts';
import { createReseller, creditDeposit, findResellerByUsername, issueCredential } from '../resellers/index.ts';
import type { Config } from './config.ts';

const CATALOGUE = path.join(import.meta.dirname, '../../catalogue/catalogue.csv');
const DEMO_USERNAME = 'demo';
const DEMO_BALANCE = 10_000_000n;
const ACTOR = { name: 'first start', requestId: null };

const demoSchema = z.object({ accessToken: z.string(), signingSecret: z.string() });

/** The demo reseller's test credential, kept in DATA_DIR so that every start of a development installation can print it. */
export type Demo = z.infer<typeof demoSchema>;

/**
 * Fills an empty development installation: the bundled catalogue, and a demo reseller with a test balance. On one that is in
 * use it changes nothing.
 */
export async function prepareDemo(config: Config, database: Database, clock: Clock): Promise<Demo | null> {
  const file = path.join(config.dataDir, 'demo.json');
  const { db } = database;
  if (await findResellerByUsername(db, DEMO_USERNAME)) return readKept(file);
  const inUse = await db.selectFrom('resellers').select('id').limit(1).executeTakeFirst();
  if (inUse) return null;

  const revisions = watchRevisions(db, clock, silentLog);
  // Nobody is there yet to be told.
  const nobody = { tell: async () => undefined, onStatesSet: async () => undefined };
  await importCatalog({ db, clock, revisions, view: { timeZone: config.timeZone }, ...nobody }, ACTOR, {
    csv: fs.readFileSync(CATALOGUE, 'utf8'),
    dryRun: false,
  });
  await revisions.stop();
  const created = await createReseller({ db, clock }, ACTOR, {
    name: 'Demo Reseller',
    username: DEMO_USERNAME,
    tierCode: 'standard',
    lowBalanceThreshold: null,
  });
  if (created.kind !== 'created') return null;
  const resellerId = created.reseller.id;
  await creditDeposit({ db, clock, timeZone: config.timeZone, currency: config.currency }, ACTOR, {
    resellerId,
    mode: 'test',
    amount: DEMO_BALANCE,
    reference: 'demo balance',
  });
  const secretBox = createSecretBox(config.masterKey);
  const issued = await issueCredential({ db, clock, secretBox }, ACTOR, {
    resellerId,
    mode: 'test',
    scopes: ['read', 'order'],
    allowedIps: [],
    expiresAt: null,
  });
  if (issued === null) return null;
  const demo = { accessToken: issued.accessToken, signingSecret: issued.signingSecret };
  fs.mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  fs.writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  return demo;
}

function readKept(file: string): Demo | null {
  if (!fs.existsSync(file)) return null;
  return demoSchema.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
}
