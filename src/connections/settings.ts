import { isAddressOrBlock } from '../lib/allow-list.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import type { Amount } from '../lib/money.ts';
import type { ConfigField, SupplierKind, SupplierLimits } from '../suppliers/index.ts';
import { addressFault, checkTemplate } from '../suppliers/index.ts';

/** What operators may set for every account at every supplier, whatever its kind. Empty: as the kind has it. */
export interface SupplierSettings {
  /** The proxy through which everything leaves, for suppliers that accept known addresses only. */
  proxyUrl: string | null;
  /** Where callbacks come from; empty: from anywhere. */
  callbackAddresses: string[];
  /** How the account is written where a route says nothing else. */
  accountTemplate: string | null;
  /** Below this balance operators are warned. */
  warnBalance: Amount | null;
  /** Below this balance the supplier gets no orders. */
  minimumBalance: Amount | null;
  limits: SupplierLimits;
}

/** Shown in place of a secret, and understood as "unchanged". */
export const SECRET_MASK = '••••••••';
const MAX_TIME_LIMIT_S = 120;
const MAX_CONCURRENCY = 1_000;

const money = { pattern: /^\d{1,15}$/, message: 'must be an amount in whole units, digits only' };

export const COMMON_FIELDS: readonly ConfigField[] = [
  {
    key: 'proxy_url',
    label: 'Egress proxy',
    secret: true,
    required: false,
    help: 'http://user:password@host:port of a proxy with an address that the supplier accepts.',
    address: 'with_user',
  },
  {
    key: 'time_limit_seconds',
    label: 'Time limit of a call, in seconds',
    secret: false,
    required: false,
    help: 'A purchase without an answer after this time counts as unknown, and the supplier is asked about it.',
    form: { pattern: /^([1-9]|[1-9]\d|1[01]\d|120)$/, message: `must be 1 to ${MAX_TIME_LIMIT_S} seconds` },
  },
  {
    key: 'concurrency',
    label: 'Calls at once',
    secret: false,
    required: false,
    help: 'How many calls may be open at once, in each worker.',
    form: { pattern: /^([1-9]\d{0,2}|1000)$/, message: `must be 1 to ${MAX_CONCURRENCY}` },
  },
  {
    key: 'requests_per_second',
    label: 'Calls per second',
    secret: false,
    required: false,
    help: 'How many calls may begin within a second, in each worker.',
    form: { pattern: /^([1-9]\d{0,2}|1000)$/, message: 'must be 1 to 1000' },
  },
  {
    key: 'review_after_minutes',
    label: 'Minutes until an operator is asked',
    secret: false,
    required: false,
    help: 'An order without an end after this time goes to the review queue; it is still asked about.',
    form: { pattern: /^[1-9]\d{0,4}$/, message: 'must be 1 to 99999 minutes' },
  },
  {
    key: 'account_template',
    label: "The player's account as",
    secret: false,
    required: false,
    help: '{user_id}{zone}, {user_id}|{zone}, or named fields such as User ID={user_id}&Server={zone}. A route may say otherwise.',
  },
  {
    key: 'callback_ips',
    label: 'Addresses of callbacks',
    secret: false,
    required: false,
    help: 'Addresses or CIDR blocks from which callbacks are accepted, with commas between. Empty: any.',
    form: { pattern: /^[0-9A-Fa-f.:/, ]*$/, message: 'must be addresses or CIDR blocks with commas between' },
  },
  {
    key: 'warn_balance',
    label: 'Warn below this balance',
    secret: false,
    required: false,
    form: money,
  },
  {
    key: 'minimum_balance',
    label: 'Send no orders below this balance',
    secret: false,
    required: false,
    form: money,
  },
];

/** Every field of an account of this kind: its own, then those that all kinds have. */
export function fieldsOf(kind: SupplierKind): ConfigField[] {
  return [...kind.fields, ...COMMON_FIELDS];
}

/** The configuration an adapter sees: defaults filled in, empty fields left out, no slash at the end of the address. */
export function fillConfig(kind: SupplierKind, config: Record<string, string>): Record<string, string> {
  const filled = kind.fields.flatMap(({ key, default: fallback }) => {
    const value = config[key] || fallback;
    return value ? [[key, key === 'base_url' ? value.replace(/\/+$/, '') : value] as const] : [];
  });
  return Object.fromEntries(filled);
}

/** The fields that say whose account it is, as far as they are others than before, defaults filled in. */
export function changedIdentity(
  kind: SupplierKind,
  before: Record<string, string>,
  after: Record<string, string>,
): ConfigField[] {
  const [was, is] = [fillConfig(kind, before), fillConfig(kind, after)];
  return kind.fields.filter(({ key, identity }) => identity && was[key] !== is[key]);
}

export function readSettings(kind: SupplierKind, config: Record<string, string>): SupplierSettings {
  const number = (key: string): number | null => (config[key] ? Number(config[key]) : null);
  const amount = (key: string): Amount | null => (config[key] ? BigInt(config[key]) : null);
  const timeLimitS = number('time_limit_seconds');
  const reviewMinutes = number('review_after_minutes');
  return {
    proxyUrl: config['proxy_url'] || null,
    callbackAddresses: splitAddresses(config['callback_ips']),
    accountTemplate: config['account_template'] || kind.accountTemplate,
    warnBalance: amount('warn_balance'),
    minimumBalance: amount('minimum_balance'),
    limits: {
      ...kind.limits,
      concurrency: number('concurrency') ?? kind.limits.concurrency,
      perSecond: number('requests_per_second') ?? kind.limits.perSecond,
      ...(timeLimitS !== null && { placeLimitMs: timeLimitS * SECOND_MS, checkLimitMs: timeLimitS * SECOND_MS }),
      ...(reviewMinutes !== null && { reviewAfterMs: reviewMinutes * MINUTE_MS }),
    },
  };
}

/** How a configuration misses the form of its kind; empty when it fits. Of a change, only the given fields are looked at. */
export function checkConfig(
  kind: SupplierKind,
  config: Record<string, string>,
  isNew: boolean,
): { path: string; message: string }[] {
  const fields = fieldsOf(kind);
  const known = new Map(fields.map((field) => [field.key, field]));
  const unknown = Object.keys(config).filter((key) => !known.has(key));
  const missing = fields.filter(
    ({ key, required, default: fallback }) => required && fallback === undefined && (isNew ? !config[key] : config[key] === ''),
  );
  const malformed = fields.filter(({ key, form }) => config[key] && form && !form.pattern.test(config[key]));
  const unusable = fields.flatMap(({ key, label, address }) => {
    const fault = config[key] && address ? addressFault(config[key], { withUser: address === 'with_user' }) : null;
    return fault === null ? [] : [{ path: `config.${key}`, message: `${label} ${fault}.` }];
  });
  const badTemplate = config['account_template'] ? checkTemplate(kind, config['account_template']) : null;
  const badAddress = splitAddresses(config['callback_ips']).find((address) => !isAddressOrBlock(address));
  return [
    ...unknown.map((key) => ({ path: `config.${key}`, message: `The kind ${kind.kind} has no such field.` })),
    ...missing.map(({ key, label }) => ({ path: `config.${key}`, message: `${label} is required.` })),
    ...malformed.map(({ key, label, form }) => ({ path: `config.${key}`, message: `${label} ${form?.message}.` })),
    ...unusable,
    ...(badTemplate === null ? [] : [{ path: 'config.account_template', message: badTemplate }]),
    ...(badAddress === undefined ? [] : [{ path: 'config.callback_ips', message: `${badAddress} is not an address.` }]),
  ];
}

function splitAddresses(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
