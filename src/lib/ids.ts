import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';

/** Crockford's base 32: no I, L, O or U, so an id survives being read aloud; its order is the order of the bytes. */
const BASE32 = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BASE32_LENGTH = 26;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random bytes in stock: asking the system for them costs more than the rest of an id. */
const stock = Buffer.alloc(4_096);
let stockUsed = stock.length;

let lastMillis = 0;
let counter = 0;
let refill: (stock: Buffer) => unknown = randomFillSync;

/**
 * For simulations that must repeat exactly, and for nothing else: from now on ids are made of the bytes that `fill` gives, and
 * begin anew. Tokens, secrets and nonces are not made of them and stay random.
 */
export function repeatIds(fill: (stock: Buffer) => void): void {
  refill = fill;
  stockUsed = stock.length;
  lastMillis = 0;
  counter = 0;
}

/**
 * UUID version 7 (RFC 9562 §5.7, with the 12-bit counter of §6.2 method 1): sorts by creation time, and strictly so within
 * one process, even when the clock stands still or steps back. Time-ordered keys keep the indexes' hot pages few.
 */
export function newId(now: Date): string {
  const millis = now.getTime();
  if (millis > lastMillis) {
    lastMillis = millis;
    counter = takeRandom(2).readUInt16BE() & 0x3ff;
  } else if (++counter > 0xfff) {
    lastMillis += 1;
    counter = 0;
  }
  const tail = takeRandom(8);
  const time = lastMillis.toString(16).padStart(12, '0');
  const variant = ((tail.readUInt16BE(0) & 0x3fff) | 0x8000).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}-${tail.toString('hex', 2)}`;
}

/**
 * The least id of a moment: every id that was made from then on sorts at or after it, and none that was made before does,
 * unless the clock was set back meanwhile: ids then run ahead of it.
 */
export function firstIdAt(time: Date): string {
  const millis = time.getTime().toString(16).padStart(12, '0');
  return `${millis.slice(0, 8)}-${millis.slice(8)}-7000-8000-000000000000`;
}

/** A random id without an order, for request ids and the like. */
export function newRandomId(): string {
  return randomUUID();
}

/** The form of an id outside the service: a prefix that names the noun, then 26 sortable characters. */
export function toPublicId(prefix: string, uuid: string): string {
  let text = prefix;
  let value = 0;
  // 26 characters of 5 bits hold 130: the 128 of the id, after two zeros.
  let bits = 2;
  for (const byte of Buffer.from(uuid.replaceAll('-', ''), 'hex')) {
    value = ((value & 31) << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32.charAt((value >> (bits - 5)) & 31);
  }
  return text;
}

/** The UUID behind a public id, or null when the text is not one with this prefix. Case does not matter. */
export function fromPublicId(prefix: string, text: string): string | null {
  if (text.length !== prefix.length + BASE32_LENGTH) return null;
  if (text.slice(0, prefix.length).toUpperCase() !== prefix.toUpperCase()) return null;
  let value = 0n;
  for (const character of text.slice(prefix.length).toUpperCase()) {
    const digit = BASE32.indexOf(character);
    if (digit < 0) return null;
    value = (value << 5n) | BigInt(digit);
  }
  if (value >> 128n !== 0n) return null;
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** `byteCount` random bytes in base 62, padded to a fixed length: safe in headers, URLs and double-clicks. */
export function newSecretText(byteCount: number): string {
  return toBase62(BigInt(`0x${randomBytes(byteCount).toString('hex')}`), Math.ceil((byteCount * 8) / Math.log2(62)));
}

/** A non-negative number in base 62, left-padded with zeros to `length`. */
export function toBase62(value: bigint, length: number): string {
  let rest = value;
  let text = '';
  while (rest > 0n) {
    text = BASE62.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return text.padStart(length, '0');
}

export function newRandomBytes(byteCount: number): Buffer {
  return randomBytes(byteCount);
}

/** A number from 0 up to, but not including, 1: to spread what would otherwise happen all at once. */
export function newChance(): number {
  return randomBytes(4).readUInt32BE() / 2 ** 32;
}

/** Bytes that were never handed out before. Read them at once: the stock is filled anew. */
function takeRandom(byteCount: number): Buffer {
  if (stockUsed + byteCount > stock.length) {
    refill(stock);
    stockUsed = 0;
  }
  stockUsed += byteCount;
  return stock.subarray(stockUsed - byteCount, stockUsed);
}
