import type { TextStream } from './installation.ts';

/** Shows a person at a terminal how far a longer command is; silent in pipes and scripts. */
export interface Progress {
  /** `part` goes from 0 to 1. */
  step(part: number, text: string): void;
  /** Wipes the bar away, so that the result stands alone. */
  clear(): void;
}

const BAR_WIDTH = 24;
const ERASE_LINE = '\r\u001b[2K';

export function createProgress(stream: TextStream): Progress {
  if (!stream.isTTY) return { step() {}, clear() {} };
  return {
    step(part, text) {
      const filled = Math.round(part * BAR_WIDTH);
      stream.write(`${ERASE_LINE}${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}  ${text}`);
    },
    clear: () => stream.write(ERASE_LINE),
  };
}
