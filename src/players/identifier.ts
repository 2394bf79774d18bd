import type { AccountField, Product } from '../catalog/index.ts';

/** The player an order is for, as the reseller named it. */
export interface PlayerAccount {
  userId: string;
  zone: string;
}

export interface IdentifierIssue {
  path: 'account_identifier.user_id' | 'account_identifier.zone';
  message: string;
}

/** How the player's account misses the form of the product; empty when it fits. */
export function checkIdentifier(product: Product, player: PlayerAccount): IdentifierIssue[] {
  const values = { user_id: player.userId, zone: player.zone };
  const issues = product.fields.flatMap((field): IdentifierIssue[] => {
    const message = checkField(field, values[field.key]);
    return message === null ? [] : [{ path: `account_identifier.${field.key}`, message }];
  });
  const takesZone = product.fields.some((field) => field.key === 'zone');
  if (!takesZone && player.zone !== '')
    issues.push({ path: 'account_identifier.zone', message: `${product.name} has no zone: send "".` });
  return issues;
}

function checkField(field: AccountField, value: string): string | null {
  if (value === '') return field.required ? `${field.label} is required.` : null;
  if (field.type === 'number' && !/^[0-9]+$/.test(value)) return `${field.label} has digits only.`;
  if (field.options && !field.options.some((option) => option.value === value)) {
    return `${field.label} is one of: ${field.options.map((option) => `${option.value} (${option.label})`).join(', ')}.`;
  }
  if (field.pattern !== undefined && !new RegExp(`^(?:${field.pattern})$`, 'u').test(value)) {
    return `${field.label} does not have the form this game uses (${field.pattern}).`;
  }
  return null;
}
