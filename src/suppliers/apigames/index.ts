export { apigamesKind } from './apigames.ts';
