import { type Command, InvalidArgumentError } from 'commander';
import { MAX_AMOUNT } from '../lib/money.ts';
import type { Mode } from './answers.ts';
import type { Output } from './output.ts';

/** Options of every command that lists pages. */
export interface PageOptions {
  limit?: number;
  cursor?: string;
}

const MAX_PAGE = 200;

export function withPageOptions(command: Command): Command {
  return command
    .option('--limit <count>', `how many to list, up to ${MAX_PAGE}`, parseLimit)
    .option('--cursor <cursor>', 'continue a list that was longer');
}

/** Says how to see the rest of a list. On stderr, so that `--json` stays pure. */
export function noteMore(output: Output, nextCursor: string | null): void {
  if (nextCursor !== null) output.note(`There are more: repeat the command with --cursor ${nextCursor}`);
}

export function parseMode(text: string): Mode {
  if (text === 'live' || text === 'test') return text;
  throw new InvalidArgumentError('It is either live or test.');
}

/** An amount in minor units. Separators are refused: what `1.500` means differs from country to country. */
export function parseAmount(text: string): number {
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`Give a whole number up to ${MAX_AMOUNT} without separators, e.g. 1250000.`);
}

/** An amount with a sign, never zero. */
export function parseSignedAmount(text: string): number {
  if (/^[+-]?[0-9]{1,15}$/.test(text) && Number(text) !== 0) return Number(text);
  throw new InvalidArgumentError('Give a whole number that is not zero, without separators, e.g. -25000.');
}

/** `success` as well as `Success`: the interface writes states with a capital. */
export function parseState<State extends string>(states: readonly State[]): (text: string) => State {
  return (text) => {
    const state = states.find((candidate) => candidate.toLowerCase() === text.toLowerCase());
    if (state === undefined) throw new InvalidArgumentError(`It is one of ${states.join(', ')}.`);
    return state;
  };
}

/** Examples under a command's help. */
export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ topgate ${line}`).join('\n')}`;
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MAX_PAGE}.`);
}
