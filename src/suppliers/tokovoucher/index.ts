export { tokovoucherKind } from './tokovoucher.ts';
