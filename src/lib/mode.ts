/** `test` orders move test balances through the sandbox; nothing of them ever touches live money or a real supplier. */
export type Mode = 'live' | 'test';

export const MODES = ['live', 'test'] as const satisfies readonly Mode[];
