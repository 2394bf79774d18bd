/** A view that WebCrypto takes: one that does not look into shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

export function concat(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** The bytes of a base64 text, or null when it is none. */
export function fromBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

const HMAC_SHA256 = { name: 'HMAC', hash: 'SHA-256' };

export async function hmacSha256(key: Bytes, message: Bytes): Promise<Bytes> {
  const imported = await crypto.subtle.importKey('raw', key, HMAC_SHA256, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message));
}

/** Compares in constant time, which is WebCrypto's duty. */
export async function verifyHmacSha256(key: Bytes, signature: Bytes, message: Bytes): Promise<boolean> {
  const imported = await crypto.subtle.importKey('raw', key, HMAC_SHA256, false, ['verify']);
  return crypto.subtle.verify('HMAC', imported, signature, message);
}
