export { vipResellerKind } from './vip-reseller.ts';
