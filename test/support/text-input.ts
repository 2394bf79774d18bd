import type { TextInput } from '../../src/cli/index.ts';

/** Nobody at a terminal, and nothing on the standard input. */
export const NO_INPUT: TextInput = {
  isTerminal: false,
  readAll: async () => '',
  askSecretly: () => Promise.reject(new Error('nobody is there to ask')),
};
