import type { SupplierKind } from '../suppliers/index.ts';
import { fillConfig } from './settings.ts';

/** Settings of every kind that cannot be why a supplier is on hold. */
const NEVER_A_CAUSE: readonly string[] = [
  'time_limit_seconds',
  'concurrency',
  'requests_per_second',
  'review_after_minutes',
  'account_template',
  'callback_ips',
  'warn_balance',
  'lookup_games',
];

/**
 * How settings contradict each other, what the kind can do, or the installation. `given` are the fields that are set now: what
 * was set before is not held against somebody who changes something else.
 */
export function checkSettings(
  kind: SupplierKind,
  { given, whole, currency }: { given: Record<string, string>; whole: Record<string, string>; currency: string },
): { path: string; message: string }[] {
  const issues: { path: string; message: string }[] = [];
  const refuse = (key: string, message: string) => issues.push({ path: `config.${key}`, message });
  const { minimum_balance: minimum, warn_balance: warning } = whole;
  if (!kind.capabilities.balance)
    for (const key of ['minimum_balance', 'warn_balance'])
      if (given[key]) refuse(key, `${kind.label} tells no balance, so there is nothing to compare with. Watch it there.`);
  if ((given['minimum_balance'] || given['warn_balance']) && minimum && warning && BigInt(warning) < BigInt(minimum))
    refuse('warn_balance', `The warning has to come before the orders stop: set it to ${minimum} or more.`);
  const theirs = fillConfig(kind, whole)['currency'];
  const isOwn = kind.fields.some(({ key }) => key === 'currency');
  if (isOwn && 'currency' in given && theirs !== currency)
    refuse('currency', `It must be the currency of this installation, ${currency}.`);
  return issues;
}

/** Whether a change of the configuration may end a hold: whether it touches anything that can have been its cause. */
export function mayEndHold(before: Record<string, string>, after: Record<string, string>): boolean {
  const isOther = (key: string) => (before[key] ?? '') !== (after[key] ?? '');
  return Object.keys({ ...before, ...after }).some((key) => !NEVER_A_CAUSE.includes(key) && isOther(key));
}
