/** What is left of a request: JSON of at most 2 KiB, without anything that opens a door or names a player. */
export interface RedactedRequest {
  [name: string]: Redacted;
}
type Redacted = string | number | boolean | null | Redacted[] | RedactedRequest;

const REDACTED = '[redacted]';
const CUT = '…';
const MASK = '••••';
const PLAYER_CHARACTERS_SHOWN = 4;
const MAX_TEXT_LENGTH = 200;
const MAX_NAME_LENGTH = 64;
/** How far a text is searched for secrets; of what comes after, nothing is kept. */
const MAX_SEARCHED_LENGTH = 2_048;
const MAX_DEPTH = 4;
const MAX_FIELDS = 50;
const MAX_ITEMS = 20;
export const MAX_REQUEST_BYTES = 2_048;
/** Room for the signs of what was cut: one per level, after the budget is spent. */
const RESERVED_BYTES = 128;

/**
 * How a field's values are kept. `text`: without what looks like a token. `reference`: as sent, however random it looks.
 * `player`: the last characters. `fields`: only as an object, whose fields have kinds of their own. `absent`: not at all.
 */
type Kind = 'text' | 'reference' | 'player' | 'fields' | 'absent' | 'secret';

/** A field that is not here is kept by its name alone: a new one must not show up in the log because nobody thought of it. */
const KINDS = new Map<string, Kind>([
  ['service_code', 'text'],
  ['product_code', 'text'],
  ['ref_id', 'reference'],
  ['order_id', 'reference'],
  ['account_identifier', 'fields'],
  ['user_id', 'player'],
  ['zone', 'text'],
  ['nickname', 'absent'],
  ['max_price', 'text'],
  ['status', 'text'],
  ['kind', 'text'],
  ['from', 'text'],
  ['to', 'text'],
  ['since', 'text'],
  ['after', 'text'],
  ['limit', 'text'],
  ['cursor', 'reference'],
  ['url', 'text'],
  ['types', 'text'],
]);

/** Our own tokens and secrets, wherever they were put by mistake. */
const OUR_SECRETS = /(?:tg_(?:live|test)_|tg[as]_|whsec_|bearer\s)\S*/gi;
const LOOKS_RANDOM = /[A-Za-z0-9_-]{32,}/g;
const CONTROL_CHARACTERS = /\p{Cc}/gu;

interface Budget {
  bytesLeft: number;
}

/** A request's body or query as it may be kept; null when it is not an object or has no fields. */
export function redactRequest(request: unknown): RedactedRequest | null {
  if (!isObject(request)) return null;
  const redacted = redactFields(request, 1, { bytesLeft: MAX_REQUEST_BYTES - RESERVED_BYTES });
  return Object.keys(redacted).length === 0 ? null : redacted;
}

/** A text without secrets, of a bounded length, that a database can hold. */
export function redactText(text: string): string {
  return shorten(withoutOurSecrets(text).replace(LOOKS_RANDOM, REDACTED), MAX_TEXT_LENGTH);
}

function redactFields(object: object, depth: number, budget: Budget): RedactedRequest {
  const kept: [string, Redacted][] = [];
  for (const [name, value] of Object.entries(object)) {
    const kind = KINDS.get(name) ?? 'secret';
    if (kind === 'absent' || value === undefined) continue;
    const safeName = kind === 'secret' ? shorten(redactText(name), MAX_NAME_LENGTH) : name;
    if (kept.length >= MAX_FIELDS || !spend(budget, safeName)) {
      kept.push([CUT, CUT]);
      break;
    }
    kept.push([safeName, redactValue(kind, value, depth, budget)]);
  }
  return Object.fromEntries(kept);
}

function redactValue(kind: Kind, value: unknown, depth: number, budget: Budget): Redacted {
  if (kind === 'secret' || !isContainer(value)) return within(budget, redactLeaf(kind, value));
  if (depth >= MAX_DEPTH || !spend(budget, null)) return CUT;
  if (!Array.isArray(value)) return redactFields(value, depth + 1, budget);
  const items: Redacted[] = [];
  for (const item of value.slice(0, MAX_ITEMS)) {
    if (budget.bytesLeft === 0) break;
    items.push(redactValue(kind, item, depth + 1, budget));
  }
  return items.length < value.length ? [...items, CUT] : items;
}

function redactLeaf(kind: Kind, value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (kind === 'secret' || kind === 'fields') return REDACTED;
  if (kind === 'player') return maskPlayer(String(value));
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  // Where a route has already made a time of the text, the text it came from.
  const text = value instanceof Date ? value.toISOString() : String(value);
  return kind === 'reference' ? shorten(withoutOurSecrets(text), MAX_TEXT_LENGTH) : redactText(text);
}

/** The last characters, which are enough to recognise a player one knows. A text that is no longer than these shows none. */
function maskPlayer(text: string): string {
  const end = [...text.slice(-2 * PLAYER_CHARACTERS_SHOWN)].slice(-PLAYER_CHARACTERS_SHOWN).join('');
  return MASK + (end.length < text.length ? shorten(end, MAX_TEXT_LENGTH) : '');
}

function withoutOurSecrets(text: string): string {
  return (text.length <= MAX_SEARCHED_LENGTH ? text : wholeWords(text)).replace(OUR_SECRETS, REDACTED);
}

/** The part that is searched, up to a space: a secret that goes on beyond it must not be kept in half. */
function wholeWords(text: string): string {
  const start = text.slice(0, MAX_SEARCHED_LENGTH);
  return start.slice(0, Math.max(0, start.lastIndexOf(' '))) + CUT;
}

/** PostgreSQL's JSON knows neither NUL nor half a surrogate pair, and a log is no place for other control characters. */
function shorten(text: string, maxLength: number): string {
  const cut = text.length <= maxLength ? text : text.slice(0, maxLength - CUT.length) + CUT;
  return cut.replace(CONTROL_CHARACTERS, '\uFFFD').toWellFormed();
}

function within(budget: Budget, leaf: string | number | boolean | null): Redacted {
  return spend(budget, leaf) ? leaf : CUT;
}

/** Takes the bytes of a name or value, and of what stands around it. Once something did not fit, nothing does. */
function spend(budget: Budget, leaf: string | number | boolean | null): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(leaf)) + 1;
  const fits = bytes <= budget.bytesLeft;
  budget.bytesLeft = fits ? budget.bytesLeft - bytes : 0;
  return fits;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

function isObject(value: unknown): value is object {
  return isContainer(value) && !Array.isArray(value);
}
