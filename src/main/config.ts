import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { isAddressOrBlock } from '../lib/allow-list.ts';
import { isTimeZone } from '../lib/clock.ts';
import { newRandomBytes, newSecretText } from '../lib/ids.ts';
import { StartError } from '../lib/start-error.ts';

/** The only place that reads the environment. Every variable is documented in `.env.example`; a test holds the two together. */
export interface Config {
  port: number;
  host: string;
  /** The address at which the world reaches this installation, without a slash at its end. */
  publicUrl: string;
  databaseUrl: string | null;
  /** The same database past a connection pooler, for what needs a session of its own. */
  databaseDirectUrl: string | null;
  /** A streaming replica of the database, for reports and lists of the past. */
  databaseReplicaUrl: string | null;
  dataDir: string;
  env: 'development' | 'production';
  role: 'all' | 'api' | 'worker';
  adminToken: string;
  masterKey: Buffer;
  /** Requests per second and reseller; 0: no limit. */
  rateLimit: number;
  /** Days for which resellers' requests are remembered; 0: not at all. */
  requestLogDays: number;
  /** Days for which exchanges with suppliers are remembered; 0: not at all. */
  exchangeDays: number;
  /** Days for which events are kept, with their deliveries and attempts; 0: for ever. */
  eventDays: number;
  /** What becomes of a month of events after that. */
  expiredEvents: 'drop' | 'archive';
  currency: string;
  timeZone: string;
  /** Addresses of reverse proxies whose `X-Forwarded-For` is believed; empty: nobody's. */
  trustedProxies: string[];
  /** Blocks of addresses beyond the public internet that webhooks may be sent to. */
  webhookAllowedCidrs: string[];
}

/** Keys that stand in public examples: whoever starts production with one has not made a key. */
const EXAMPLE_MASTER_KEYS = new Set(['dG9wZ2F0ZS1leGFtcGxlLW1hc3Rlci1rZXktMzJieXQ=', Buffer.alloc(32).toString('base64')]);
const MASTER_KEY_BYTES = 32;

/** A developer's receiver runs on the same machine; in production nothing inside may be reached. */
const WEBHOOK_CIDRS = { development: '127.0.0.0/8,::1/128', production: '' } as const;

const blankAsMissing = (value: unknown) => (value === '' ? undefined : value);

const addressList = z
  .string()
  .refine((list) => splitList(list).every(isAddressOrBlock), 'must be addresses or CIDR blocks with commas between');

const databaseAddress = z.preprocess(
  blankAsMissing,
  z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
    .optional(),
);

const environmentSchema = z.object({
  PORT: z.preprocess(blankAsMissing, z.coerce.number('must be a port number').int().min(0).max(65_535).default(3000)),
  HOST: z.preprocess(blankAsMissing, z.string().default('127.0.0.1')),
  PUBLIC_URL: z.preprocess(
    blankAsMissing,
    z
      .string()
      .regex(/^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/, 'must be an address such as https://topup.example.com')
      .optional(),
  ),
  DATABASE_URL: databaseAddress,
  DATABASE_DIRECT_URL: databaseAddress,
  DATABASE_REPLICA_URL: databaseAddress,
  DATA_DIR: z.preprocess(blankAsMissing, z.string().default('./data')),
  TOPGATE_ENV: z.preprocess(
    blankAsMissing,
    z.enum(['development', 'production'], 'must be development or production').default('development'),
  ),
  ROLE: z.preprocess(blankAsMissing, z.enum(['all', 'api', 'worker'], 'must be all, api or worker').default('all')),
  ADMIN_TOKEN: z.preprocess(
    blankAsMissing,
    z
      .string()
      .regex(/^\S{8,256}$/, 'must have 8 to 256 characters without spaces')
      .optional(),
  ),
  MASTER_KEY: z.preprocess(
    blankAsMissing,
    z
      .string()
      .refine(
        (key) => Buffer.from(key, 'base64').length === MASTER_KEY_BYTES,
        'must be 32 bytes in base64; make one with: openssl rand -base64 32',
      )
      .optional(),
  ),
  RATE_LIMIT: z.preprocess(blankAsMissing, z.coerce.number('must be a number').int().min(0).max(1_000_000).default(50)),
  REQUEST_LOG_DAYS: z.preprocess(blankAsMissing, z.coerce.number('must be a number of days').int().min(0).max(90).default(7)),
  EXCHANGE_DAYS: z.preprocess(blankAsMissing, z.coerce.number('must be a number of days').int().min(0).max(365).default(30)),
  EVENT_DAYS: z.preprocess(
    blankAsMissing,
    z.coerce
      .number('must be a number of days')
      .int()
      .refine((days) => days === 0 || (days >= 30 && days <= 3_650), 'must be 0, or 30 to 3650 days')
      .default(180),
  ),
  EXPIRED_EVENTS: z.preprocess(blankAsMissing, z.enum(['drop', 'archive'], 'must be drop or archive').default('drop')),
  CURRENCY: z.preprocess(
    blankAsMissing,
    z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be three capital letters')
      .default('IDR'),
  ),
  TIME_ZONE: z.preprocess(
    blankAsMissing,
    z.string().refine(isTimeZone, 'must be a time zone such as Asia/Jakarta').default('Asia/Jakarta'),
  ),
  TRUSTED_PROXIES: z.preprocess(blankAsMissing, addressList.default('')),
  WEBHOOK_ALLOWED_CIDRS: z.preprocess(blankAsMissing, addressList.optional()),
});

export const ENVIRONMENT_VARIABLES = Object.keys(environmentSchema.shape);

/** Reads and checks every variable, and tells all problems at once. In development, missing secrets are made and kept in DATA_DIR. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const parsed = environmentSchema.safeParse(environment);
  if (!parsed.success) throw describe(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
  const values = parsed.data;
  const problems = [...checkDatabase(values), ...(values.TOPGATE_ENV === 'production' ? checkProduction(values) : [])];
  if (problems.length > 0) throw describe(problems);

  const dataDir = path.resolve(values.DATA_DIR);
  return {
    port: values.PORT,
    host: values.HOST,
    publicUrl: values.PUBLIC_URL?.replace(/\/+$/, '') ?? `http://${values.HOST}:${values.PORT}`,
    databaseUrl: values.DATABASE_URL ?? null,
    databaseDirectUrl: values.DATABASE_DIRECT_URL ?? null,
    databaseReplicaUrl: values.DATABASE_REPLICA_URL ?? null,
    dataDir,
    env: values.TOPGATE_ENV,
    role: values.ROLE,
    adminToken: values.ADMIN_TOKEN ?? keptSecret(dataDir, 'admin-token', () => `tga_${newSecretText(24)}`),
    masterKey: Buffer.from(
      values.MASTER_KEY ?? keptSecret(dataDir, 'master-key', () => newRandomBytes(MASTER_KEY_BYTES).toString('base64')),
      'base64',
    ),
    rateLimit: values.RATE_LIMIT,
    requestLogDays: values.REQUEST_LOG_DAYS,
    exchangeDays: values.EXCHANGE_DAYS,
    eventDays: values.EVENT_DAYS,
    expiredEvents: values.EXPIRED_EVENTS,
    currency: values.CURRENCY,
    timeZone: values.TIME_ZONE,
    trustedProxies: splitList(values.TRUSTED_PROXIES),
    webhookAllowedCidrs: splitList(values.WEBHOOK_ALLOWED_CIDRS ?? WEBHOOK_CIDRS[values.TOPGATE_ENV]),
  };
}

function splitList(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

type Environment = z.infer<typeof environmentSchema>;

function checkDatabase(values: Environment): string[] {
  if (values.DATABASE_URL !== undefined) return [];
  const problems = (['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const)
    .filter((name) => values[name] !== undefined)
    .map((name) => `${name} needs DATABASE_URL: the embedded database has no other address`);
  if (values.ROLE === 'all') return problems;
  return [...problems, `ROLE=${values.ROLE} needs DATABASE_URL: the embedded database belongs to a single process`];
}

function checkProduction(values: Environment): string[] {
  const problems: string[] = [];
  if (values.ADMIN_TOKEN === undefined)
    problems.push('ADMIN_TOKEN is required in production; make one with: openssl rand -hex 24');
  if (values.MASTER_KEY === undefined)
    problems.push('MASTER_KEY is required in production; make one with: openssl rand -base64 32');
  else if (EXAMPLE_MASTER_KEYS.has(values.MASTER_KEY))
    problems.push('MASTER_KEY is the one of the public example; make your own with: openssl rand -base64 32');
  return problems;
}

/** A secret of a development installation: made at the first start, readable by its owner alone. */
function keptSecret(dataDir: string, name: string, make: () => string): string {
  const file = path.join(dataDir, name);
  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8').trim();
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const secret = make();
  fs.writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  return secret;
}

function describe(problems: string[]): StartError {
  return new StartError(`Topgate cannot start with these settings:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
}
