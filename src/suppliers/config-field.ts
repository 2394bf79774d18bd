import type { ConfigField } from './supplier.ts';

export const ADDRESS_FORM = {
  pattern: /^https?:\/\/[^\s/?#]+[^\s?#]*$/,
  message: 'must be an address that begins with https:// or http://',
};

/** The address of the supplier's interface, which every kind has. */
export function baseUrlField(production: string | null, help?: string): ConfigField {
  return {
    key: 'base_url',
    label: 'Base URL',
    secret: false,
    required: production === null,
    form: ADDRESS_FORM,
    ...(production !== null && { default: production }),
    ...(help !== undefined && { help }),
  };
}

/** A name or number that the supplier gave us, shown to operators. */
export function identityField(key: string, label: string, help?: string): ConfigField {
  return { key, label, secret: false, required: true, ...(help !== undefined && { help }) };
}

/** Sealed before it is stored, masked wherever it is shown. */
export function secretField(key: string, label: string, help?: string): ConfigField {
  return { key, label, secret: true, required: true, ...(help !== undefined && { help }) };
}

export function optionalField(field: Omit<ConfigField, 'required' | 'secret'> & { secret?: boolean }): ConfigField {
  return { secret: false, ...field, required: false };
}
