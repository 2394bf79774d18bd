import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Seals secrets that must be readable again: AES-256-GCM under the master key with a fresh 96-bit nonce each time. The
 * `binding` (the kind and id of the row) is authenticated with it, so a sealed value moved to another row does not open.
 */
export interface SecretBox {
  seal(text: string, binding: string): Uint8Array;
  /** Throws when the value was sealed under another key, bound elsewhere, or changed. */
  open(sealed: Uint8Array, binding: string): string;
}

/** The first byte of every sealed value, so that another algorithm or key generation can be told apart later. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createSecretBox(masterKey: Buffer): SecretBox {
  return {
    seal(text, binding) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', masterKey, nonce);
      cipher.setAAD(Buffer.from(binding, 'utf8'));
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), content]);
    },
    open(sealed, binding) {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== VERSION) throw new Error(`Cannot open a secret of version ${bytes[0]}.`);
      const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
      const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', masterKey, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(binding, 'utf8'));
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
    },
  };
}
