import { parseArgs } from 'node:util';
import type { Plan } from './case.ts';

export const USAGE = `Usage: npm run bench -- [options]

  (nothing)             the standard run: every target but the long ones
  --full                with the long cases, such as 5 million stored orders and a million placed, and lives for 60 s
  --only <case,...>     these cases alone; long ones run if they are named
  --seconds <number>    how long each single measurement lasts (3 unless told)
  --rounds <number>     how often a case and its baselines are measured in turn (2 unless told)
  --compare <file>      prints this run's figures beside those of an earlier one, from bench/results/
  --list                names the cases
  --help                this text`;

export interface Options extends Plan {
  only: string[] | null;
  compareWith: string | null;
  action: 'run' | 'list' | 'help';
}

/** Reads the command line; what it does not know, it refuses with the usage. */
export function readOptions(words: string[]): Options {
  const { values } = parse(words);
  const { full, only, seconds, rounds, compare, list, help } = values;
  return {
    isFull: full,
    only: only === undefined ? null : only.split(',').map((name) => name.trim()),
    seconds: readNumber(seconds, 1, 600),
    rounds: readNumber(rounds, 1, 20),
    compareWith: compare ?? null,
    action: help ? 'help' : list ? 'list' : 'run',
  };
}

function parse(words: string[]) {
  try {
    return parseArgs({
      args: words,
      options: {
        full: { type: 'boolean', default: false },
        only: { type: 'string' },
        seconds: { type: 'string', default: '3' },
        rounds: { type: 'string', default: '2' },
        compare: { type: 'string' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readNumber(text: string, least: number, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new UsageError(`${text} is not a whole number from ${least} to ${most}.`);
  return value;
}

/** The command line was not understood: the usage is the answer, not a stack trace. */
export class UsageError extends Error {}
