import type { SupplierKind } from './supplier.ts';

const PLACEHOLDER = /\{(user_id|zone)\}/g;
/** The parts of an account by our own names, for kinds that take these. */
const PARTS: readonly string[] = ['user_id', 'zone'];

/**
 * Writes a player's account in a supplier's notation: `{user_id}{zone}`, `{user_id}|{zone}`, or named fields in the form of a
 * query, `User ID={user_id}&Server={zone}`, whose values are then encoded. In one pass, so that a player's id that looks like a
 * placeholder stays as it is.
 */
export function fillTemplate(template: string, player: { userId: string; zone: string }): string {
  const encode = isNamed(template) ? encodeURIComponent : (value: string) => value;
  return template.replace(PLACEHOLDER, (_match, key: string) => encode(key === 'user_id' ? player.userId : player.zone));
}

/** The named fields of a filled template; fields without a value are left out. */
export function readNamedFields(accountText: string): Record<string, string> {
  const fields = accountText.split('&').map(splitField);
  return Object.fromEntries(fields.flatMap(({ name, value }) => (value ? [[name, decodeURIComponent(value)] as const] : [])));
}

/** Why an order was not sent whose template has no named fields, where the supplier takes nothing else. */
export const NAMES_NO_FIELDS = 'the template of the account names no fields';

/** The same for kinds that take nothing else; null where no field has a name, as an order without a player must never leave. */
export function readPlayerFields(accountText: string): Record<string, string> | null {
  return isNamed(accountText) ? readNamedFields(accountText) : null;
}

/** Why a template does not do for suppliers of a kind, as a sentence for the operator who wrote it; null where it does. */
export function checkTemplate(
  { label, accountForm = 'text', accountTemplate }: Pick<SupplierKind, 'label' | 'accountForm' | 'accountTemplate'>,
  template: string,
): string | null {
  if (!template.includes('{user_id}')) return 'The template must contain {user_id}.';
  if (/[{}]/.test(template.replace(PLACEHOLDER, ''))) return 'The template has no other placeholders than {user_id} and {zone}.';
  if (!isNamed(template)) {
    return accountForm === 'named' ? `${label} takes the account as named fields, such as ${accountTemplate}.` : null;
  }
  if (accountForm === 'text') return `${label} takes the account as one text, such as {user_id}{zone}, without named fields.`;
  const fields = template.split('&').map(splitField);
  const nameless = fields.some(({ name, value }) => name.trim() === '' || value === null);
  if (nameless) return 'Each field of the template must be a name, an equals sign and a value, with & between the fields.';
  const names = fields.map(({ name }) => name);
  if (new Set(names).size < names.length) return 'Each field of the template must have a name of its own.';
  if (accountForm === 'parts' && !names.every((name) => PARTS.includes(name)))
    return `${label} has the fields user_id and zone only.`;
  return fields.every(({ value }) => isEncoded(value ?? '')) ? null : 'A percent sign in the template must be written %25.';
}

function isNamed(template: string): boolean {
  return template.includes('=');
}

/** Only the first equals sign divides. */
function splitField(field: string): { name: string; value: string | null } {
  const [name = '', ...value] = field.split('=');
  return { name, value: value.length === 0 ? null : value.join('=') };
}

function isEncoded(value: string): boolean {
  try {
    return decodeURIComponent(value) !== null;
  } catch {
    return false;
  }
}
