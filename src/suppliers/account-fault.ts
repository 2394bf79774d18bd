import type { Meaning } from './meaning.ts';

/** A question about no purchase, our balance for instance, was refused because our account or its configuration is at fault. */
export class AccountFault extends Error {
  constructor(words: string) {
    super(words);
    this.name = 'AccountFault';
  }
}

/** The error of such a refused question, by what the adapter's map says that the refusal means. */
export function refusedQuestion(meaning: Meaning | undefined, words: string): Error {
  return meaning?.is === 'misconfigured' ? new AccountFault(words) : new Error(words);
}
