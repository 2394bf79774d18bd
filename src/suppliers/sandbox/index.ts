export { openSandboxBook } from './book.ts';
export { sandboxKind } from './sandbox.ts';
