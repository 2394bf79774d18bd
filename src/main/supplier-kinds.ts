import { apigamesKind } from '../suppliers/apigames/index.ts';
import { bangjeffKind } from '../suppliers/bangjeff/index.ts';
import { digiflazzKind } from '../suppliers/digiflazz/index.ts';
import { iakKind } from '../suppliers/iak/index.ts';
import type { SupplierKind } from '../suppliers/index.ts';
import { moogoldKind } from '../suppliers/moogold/index.ts';
import { tokovoucherKind } from '../suppliers/tokovoucher/index.ts';
import { topgateKind } from '../suppliers/topgate/index.ts';
import { unipinKind } from '../suppliers/unipin/index.ts';
import { vipResellerKind } from '../suppliers/vip-reseller/index.ts';

/** The suppliers there are adapters for, beside the sandbox. */
export const SUPPLIER_KINDS: readonly SupplierKind[] = [
  digiflazzKind,
  vipResellerKind,
  apigamesKind,
  tokovoucherKind,
  iakKind,
  bangjeffKind,
  moogoldKind,
  unipinKind,
  topgateKind,
];
