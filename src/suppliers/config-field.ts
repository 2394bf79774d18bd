import type { ConfigField } from './supplier.ts';

const ADDRESS_START = /^https?:\/\/[^\s/?#]+[^\s?#]*$/;

/**
 * What keeps a value from being an address that can be called; null when nothing does. `withUser`: it may carry a name and a
 * password, which is only safe where the whole address is a secret.
 */
export function addressFault(value: string, { withUser }: { withUser: boolean }): string | null {
  if (!ADDRESS_START.test(value) || !URL.canParse(value)) return 'must be an address that begins with https:// or http://';
  const { username, password, port } = new URL(value);
  if (port === '0') return 'must have a port from 1 to 65535';
  if (!withUser && (username !== '' || password !== ''))
    return 'must not hold a name or a password, as it is shown in clear; give those in their own fields';
  return isDecodable(username) && isDecodable(password)
    ? null
    : 'has a name or a password that is not percent-encoded: write % as %25';
}

/** The address of the supplier's interface, which every kind has. */
export function baseUrlField(production: string | null, help?: string): ConfigField {
  return {
    key: 'base_url',
    label: 'Base URL',
    secret: false,
    required: production === null,
    address: 'plain',
    identity: true,
    ...(production !== null && { default: production }),
    ...(help !== undefined && { help }),
  };
}

/** A name or number that the supplier gave us, shown to operators. It says whose account it is. */
export function identityField(key: string, label: string, help?: string): ConfigField {
  return { key, label, secret: false, required: true, identity: true, ...(help !== undefined && { help }) };
}

/** Sealed before it is stored, masked wherever it is shown. */
export function secretField(key: string, label: string, help?: string): ConfigField {
  return { key, label, secret: true, required: true, ...(help !== undefined && { help }) };
}

export function optionalField(field: Omit<ConfigField, 'required' | 'secret'> & { secret?: boolean }): ConfigField {
  return { secret: false, ...field, required: false };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
