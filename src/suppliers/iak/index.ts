export { iakKind } from './iak.ts';
