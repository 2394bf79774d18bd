import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TextInput } from '../cli/index.ts';

/** What the person, or the program before us in a pipe, types. */
export const terminalInput: TextInput = {
  isTerminal: process.stdin.isTTY === true,
  readAll: () => text(process.stdin),
  async askSecretly(prompt) {
    process.stderr.write(prompt);
    // Readline echoes what is typed to its output; this one shows nothing.
    const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
    const terminal = createInterface({ input: process.stdin, output: silence, terminal: true });
    try {
      return await terminal.question('');
    } finally {
      terminal.close();
      process.stderr.write('\n');
    }
  },
};
