export { openSandboxBook, type SandboxBook } from './book.ts';
export { FIRST_SANDBOX, sandboxKind } from './sandbox.ts';
