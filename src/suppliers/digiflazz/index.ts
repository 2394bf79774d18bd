export { digiflazzKind } from './digiflazz.ts';
