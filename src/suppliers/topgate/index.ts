export { topgateKind } from './topgate.ts';
