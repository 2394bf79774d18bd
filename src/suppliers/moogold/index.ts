export { moogoldKind } from './moogold.ts';
