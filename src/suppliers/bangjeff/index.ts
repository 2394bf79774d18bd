export { bangjeffKind } from './bangjeff.ts';
