import fs from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { CommandError } from './errors.ts';
import type { ProgramDeps } from './installation.ts';

/** Where the value of a setting comes from. */
export interface GivenValue {
  key: string;
  source: { kind: 'text'; text: string } | { kind: 'file'; file: string } | { kind: 'input' };
}

/** One field of a kind of supplier, as far as the command line cares. */
export interface KindField {
  key: string;
  label: string;
  secret: boolean;
  required: boolean;
  default: string | null;
}

/** `key=value`, `key=@file` for what a file holds, `key=-` for what stands on the standard input. */
export function collectValue(text: string, before: GivenValue[] | undefined): GivenValue[] {
  const [key, ...rest] = text.split('=');
  if (!key || rest.length === 0) throw new InvalidArgumentError('Write key=value, key=@file or key=-.');
  return [...(before ?? []), { key, source: toSource(rest.join('=')) }];
}

/** The values themselves. One line feed at the end of a file or of the input is none of them. */
export async function readValues(deps: ProgramDeps, given: GivenValue[]): Promise<Record<string, string>> {
  if (given.filter(({ source }) => source.kind === 'input').length > 1)
    throw new CommandError('Only one value can be read from the standard input.');
  const values: Record<string, string> = {};
  for (const { key, source } of given) {
    if (source.kind === 'text') values[key] = source.text;
    else values[key] = withoutLineEnd(source.kind === 'file' ? readFile(key, source.file) : await deps.input.readAll());
  }
  return values;
}

/** Asks the person at the terminal for the secrets that are required and were not given. */
export async function askForSecrets(deps: ProgramDeps, fields: KindField[], given: Record<string, string>) {
  const answers: Record<string, string> = {};
  for (const { key, label, secret, required, default: fallback } of fields) {
    if (!secret || !required || fallback !== null || key in given) continue;
    if (!deps.input.isTerminal)
      throw new CommandError(`${label} is required. Give it with --set ${key}=@file, or ${key}=- from the standard input.`);
    answers[key] = await deps.input.askSecretly(`${label}: `);
  }
  return answers;
}

/** Other people on this machine see what stands on a command line, and the shell keeps it. */
export function secretsOnCommandLine(fields: KindField[], given: GivenValue[]): string[] {
  const secret = new Set(fields.filter((field) => field.secret).map(({ key }) => key));
  return given.filter(({ key, source }) => secret.has(key) && source.kind === 'text' && source.text !== '').map(({ key }) => key);
}

function toSource(text: string): GivenValue['source'] {
  if (text === '-') return { kind: 'input' };
  return text.startsWith('@') ? { kind: 'file', file: text.slice(1) } : { kind: 'text', text };
}

function readFile(key: string, file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`The file ${file} for ${key} cannot be read.`, { cause: error });
  }
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
