import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { newSecretText, toBase62 } from '../lib/ids.ts';
import type { Mode } from '../lib/mode.ts';

/**
 * An access token: `tg_live_` or `tg_test_`, 27 characters of base 62 (160 random bits), and 6 characters of CRC-32 over all
 * before them. The checksum turns typing errors and garbage away without a look into the database, and lets secret scanners
 * tell a real token from a look-alike.
 */
const TOKEN_BYTES = 20;
const SECRET_BYTES = 32;
const CHECKSUM_LENGTH = 6;
const TOKEN_FORM = /^tg_(live|test)_[0-9A-Za-z]{33}$/;

export function newAccessToken(mode: Mode): string {
  const body = `tg_${mode}_${newSecretText(TOKEN_BYTES)}`;
  return body + checksum(body);
}

/** A signing secret: `tgs_` and 256 random bits. Used as it is, as UTF-8, for the key of the HMAC. */
export function newSigningSecret(): string {
  return `tgs_${newSecretText(SECRET_BYTES)}`;
}

/** True for a text that could be one of our tokens. Says nothing about whether it was issued. */
export function isTokenForm(token: string): boolean {
  if (!TOKEN_FORM.test(token)) return false;
  const body = token.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === token.slice(-CHECKSUM_LENGTH);
}

/** What is stored of a token. Plain SHA-256 is right for 160 random bits: there is nothing to guess. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

/** The end of the token before its checksum, for people to tell their tokens apart. */
export function tokenHint(token: string): string {
  return token.slice(-4);
}

function checksum(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}
