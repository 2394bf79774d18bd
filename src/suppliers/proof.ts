import { createHash, timingSafeEqual } from 'node:crypto';
import type { CallbackMessage } from './supplier.ts';

/** Lower-case hex, as most suppliers sign with it. */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** Compares without telling by its duration how much of a guess was right. */
export function isSameProof(given: string | undefined, expected: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The JSON of a callback's body; null where it is none. */
export function readCallbackJson({ rawBody }: CallbackMessage): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'));
  } catch {
    return null;
  }
}
