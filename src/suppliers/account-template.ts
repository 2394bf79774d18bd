const PLACEHOLDER = /\{(user_id|zone)\}/g;

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
  const fields = accountText.split('&').map((field) => {
    const [name = '', ...value] = field.split('=');
    return [name, decodeURIComponent(value.join('='))] as const;
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== ''));
}

function isNamed(template: string): boolean {
  return template.includes('=');
}
