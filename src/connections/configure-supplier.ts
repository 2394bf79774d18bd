import type { Db, Tx } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { bumpRevision, type RevisionWatch } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { newSecretText } from '../lib/ids.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { type Actor, describeChange, recordAction } from '../operators/index.ts';
import type { SupplierKind } from '../suppliers/index.ts';
import { checkSettings, mayEndHold } from './check-settings.ts';
import type { SupplierStatus } from './connection.ts';
import { endAnyHold, readBalanceSoon } from './hold-store.ts';
import type { SupplierRegistry } from './registry.ts';
import { changedIdentity, checkConfig, fieldsOf, SECRET_MASK } from './settings.ts';
import { hasAttempts, insertSupplier, lockSupplier, type SupplierRecord, updateSupplier } from './store.ts';

export interface ConfigureDeps {
  db: Db;
  clock: Clock;
  secretBox: SecretBox;
  revisions: RevisionWatch;
  registry: SupplierRegistry;
  /** Of the installation. */
  view: { currency: string };
}

export type ConfigureOutcome =
  | { kind: 'saved'; supplier: SupplierRecord }
  | { kind: 'exists' }
  | { kind: 'not_found' }
  | { kind: 'unknown_kind' }
  /** Another account would be asked about what was bought from this one. */
  | { kind: 'other_account'; labels: string[] }
  | { kind: 'invalid_config'; issues: { path: string; message: string }[] };

const CALLBACK_KEY_BYTES = 16;
const NO_HOLD = { hold: null, heldSince: null };

/** Adds an account at a supplier. Its secret fields are sealed under the master key before they are stored. */
export async function addSupplier(
  deps: ConfigureDeps,
  actor: Actor,
  request: { code: string; kind: string; config: Record<string, string> },
): Promise<ConfigureOutcome> {
  const kind = deps.registry.kind(request.kind);
  if (!kind) return { kind: 'unknown_kind' };
  const given = withoutMasks(request.config);
  const issues = checkConfig(kind, given, true);
  if (issues.length === 0) {
    // The currency that the kind has when none is given counts as given.
    const filled = { currency: '', ...given };
    issues.push(...checkSettings(kind, { given: filled, whole: filled, currency: deps.view.currency }));
  }
  if (issues.length > 0) return { kind: 'invalid_config', issues };
  const now = deps.clock.now();
  const supplier: SupplierRecord = {
    code: request.code,
    kind: kind.kind,
    status: 'Active',
    ...divideConfig(deps, kind, request.code, {}, given),
    callbackKey: newSecretText(CALLBACK_KEY_BYTES),
    hold: null,
    heldSince: null,
    balance: null,
    balanceAt: null,
    createdAt: now,
    updatedAt: now,
  };
  try {
    await inTransaction(deps.db, async (tx) => {
      await insertSupplier(tx, supplier);
      await bumpRevision(tx, 'suppliers');
      const details = { kind: kind.kind, config: supplier.config, secrets: secretKeysOf(kind, given) };
      await recordAction(tx, deps.clock, actor, { action: 'supplier.add', subject: request.code, details });
    });
    await deps.revisions.check();
    return { kind: 'saved', supplier };
  } catch (error) {
    if (isUniqueViolation(error, 'suppliers_pkey')) return { kind: 'exists' };
    throw error;
  }
}

/**
 * Changes the given fields of a supplier's configuration; the others, secrets included, stay. `sameAccount`: the operator
 * vouches that it is the same account there, whatever it is called or wherever it is reached now.
 */
export async function changeSupplierConfig(
  deps: ConfigureDeps,
  actor: Actor,
  code: string,
  request: { config: Record<string, string>; sameAccount: boolean },
): Promise<ConfigureOutcome> {
  const config = withoutMasks(request.config);
  return change(deps, code, async (tx, before) => {
    const kind = deps.registry.kind(before.kind);
    if (!kind) return { kind: 'unknown_kind' };
    const secrets = openSecrets(deps.secretBox, before);
    // Secrets that cannot be opened any more have to be given anew, as for a new account.
    const issues = secrets ? checkConfig(kind, config, false) : checkConfig(kind, { ...before.config, ...config }, true);
    const whole = { ...before.config, ...secrets, ...config };
    if (issues.length === 0) issues.push(...checkSettings(kind, { given: config, whole, currency: deps.view.currency }));
    if (issues.length > 0) return { kind: 'invalid_config', issues };
    const identity = changedIdentity(kind, before.config, { ...before.config, ...config });
    if (identity.length > 0 && !request.sameAccount && (await hasAttempts(tx, code)))
      return { kind: 'other_account', labels: identity.map(({ label }) => label) };
    const parts = divideConfig(deps, kind, code, { ...before.config, ...secrets }, config);
    const at = deps.clock.now();
    await updateSupplier(tx, code, { ...parts, at });
    // What was wrong may be right now, and another minimum may be in force.
    const mayWork = secrets === null || mayEndHold({ ...before.config, ...secrets }, whole);
    if (mayWork) await endAnyHold(tx, code);
    await readBalanceSoon(tx, code);
    const details = {
      ...describeChange(before.config, parts.config),
      secrets: secretKeysOf(kind, config),
      ...(request.sameAccount && { same_account: true }),
    };
    await recordAction(tx, deps.clock, actor, { action: 'supplier.configure', subject: code, details });
    return { kind: 'saved', supplier: { ...before, ...parts, ...(mayWork && NO_HOLD), updatedAt: at } };
  });
}

/** Pauses a supplier (nothing new is sent, orders under way are still asked about) or lets it work again, whatever held it. */
export async function setSupplierStatus(
  deps: ConfigureDeps,
  actor: Actor,
  code: string,
  status: SupplierStatus,
): Promise<ConfigureOutcome> {
  const action = status === 'Paused' ? 'supplier.pause' : 'supplier.resume';
  const hold = status === 'Active' ? NO_HOLD : {};
  const outcome = await change(deps, code, async (tx, before) => {
    const at = deps.clock.now();
    await updateSupplier(tx, code, { status, at });
    if (status === 'Active') await endAnyHold(tx, code);
    await recordAction(tx, deps.clock, actor, { action, subject: code });
    return { kind: 'saved', supplier: { ...before, ...hold, status, updatedAt: at } };
  });
  // This process may have begun a hold that is not written yet.
  if (status === 'Active' && deps.registry.codes().includes(code)) deps.registry.connection(code).setHold(null);
  return outcome;
}

/** The secret settings of a supplier, opened; null where they cannot be, as the master key is another one than theirs. */
export function openSecrets(
  secretBox: SecretBox,
  { code, secretsSealed }: Pick<SupplierRecord, 'code' | 'secretsSealed'>,
): Record<string, string> | null {
  if (secretsSealed === null) return {};
  try {
    return JSON.parse(secretBox.open(secretsSealed, binding(code))) as Record<string, string>;
  } catch {
    return null;
  }
}

/** One change of a supplier: decided by what is stored while nobody else changes it, and seen by this process before it answers. */
async function change(
  deps: ConfigureDeps,
  code: string,
  work: (tx: Tx, before: SupplierRecord) => Promise<ConfigureOutcome>,
): Promise<ConfigureOutcome> {
  const outcome = await inTransaction(deps.db, async (tx): Promise<ConfigureOutcome> => {
    const before = await lockSupplier(tx, code);
    if (!before) return { kind: 'not_found' };
    const result = await work(tx, before);
    if (result.kind === 'saved') await bumpRevision(tx, 'suppliers');
    return result;
  });
  if (outcome.kind === 'saved') await deps.revisions.check();
  return outcome;
}

/** Who sends back what was shown has not changed the secrets in it. */
function withoutMasks(config: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== SECRET_MASK));
}

/** Keeps what may be read apart from what is sealed. */
function divideConfig(
  deps: ConfigureDeps,
  kind: SupplierKind,
  code: string,
  before: Record<string, string>,
  given: Record<string, string>,
) {
  const all = Object.entries({ ...before, ...given });
  const secretKeys = new Set(secretKeysOf(kind, { ...before, ...given }));
  const secrets = Object.fromEntries(all.filter(([key]) => secretKeys.has(key)));
  const config = Object.fromEntries(all.filter(([key]) => !secretKeys.has(key)));
  const secretsSealed = Object.keys(secrets).length === 0 ? null : deps.secretBox.seal(JSON.stringify(secrets), binding(code));
  return { config, secretsSealed };
}

/** Which of these settings are secret: their names may be told. */
function secretKeysOf(kind: SupplierKind, config: Record<string, string>): string[] {
  return fieldsOf(kind).flatMap(({ key, secret }) => (secret && key in config ? [key] : []));
}

function binding(code: string): string {
  return `supplier:${code}`;
}
