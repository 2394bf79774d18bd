import fs from 'node:fs';
import { CommandError } from './errors.ts';

const UTF16_LITTLE = [0xff, 0xfe];
const UTF16_BIG = [0xfe, 0xff];

/** The text of a file. Spreadsheets save some of theirs as UTF-16, which their first two bytes tell. */
export function readTextFile(file: string): string {
  return decodeText(readBytes(file));
}

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === UTF16_LITTLE[0] && second === UTF16_LITTLE[1]) return 'utf-16le';
  return first === UTF16_BIG[0] && second === UTF16_BIG[1] ? 'utf-16be' : 'utf-8';
}

function readBytes(file: string): Uint8Array {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
}

/** Why a file cannot be read or written, in words. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EACCES') return 'access is denied';
  if (code === 'EISDIR') return 'it is a folder';
  return error instanceof Error ? error.message : String(error);
}
