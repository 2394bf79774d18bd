import { styleText } from 'node:util';
import type { Environment, ProgramDeps, TextStream } from './installation.ts';
import type { Paint, Tone } from './table.ts';

/** Where a command tells its result. */
export interface Output {
  paint: Paint;
  /** The result: with `--json` the data as they are and nothing else, otherwise what `render` makes of them. */
  result(data: unknown, render: () => string): void;
  /** One result of several that come one after the other: always a single line. */
  line(data: unknown, render: () => string): void;
  /** Something beside the result. It goes to stderr, so that stdout can be piped on. */
  note(text: string): void;
}

const STYLES = { good: 'green', bad: 'red', warning: 'yellow', quiet: 'dim', strong: 'bold' } as const satisfies Record<
  Tone,
  string
>;

/** The output of one command. */
export function createOutput({ env, stdout, stderr }: Pick<ProgramDeps, 'env' | 'stdout' | 'stderr'>, json: boolean): Output {
  return {
    paint: createPaint(stdout, env),
    result: (data, render) => stdout.write(`${json ? JSON.stringify(data, null, 2) : render()}\n`),
    line: (data, render) => stdout.write(`${json ? JSON.stringify(data) : render()}\n`),
    note: (text) => stderr.write(`${text}\n`),
  };
}

/** Colours for a person at a terminal; none in pipes and files, nor for who asked for none (https://no-color.org). */
export function createPaint(stream: TextStream, env: Environment): Paint {
  if (!stream.isTTY || env.NO_COLOR || env.TERM === 'dumb') return (_tone, text) => text;
  return (tone, text) => styleText(STYLES[tone], text, { validateStream: false });
}

/** A title over its block, which is set in as the details above it are. */
export function section(title: string, body: string, paint: Paint): string {
  return `${paint('strong', title)}\n${body.replaceAll(/^/gm, '  ')}`;
}

/** Blocks with an empty line between them; those that are empty are left out. */
export function joinBlocks(...blocks: (string | null)[]): string {
  return blocks.filter((block) => block !== null && block !== '').join('\n\n');
}
