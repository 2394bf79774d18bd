export { CommandError } from './errors.ts';
export type { DatabaseFacts, Installation, ProgramDeps, TextInput } from './installation.ts';
export { run } from './program.ts';
