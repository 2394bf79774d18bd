import { apigamesDialect } from './apigames.ts';
import { bangjeffDialect } from './bangjeff.ts';
import type { Dialect } from './dialect.ts';
import { digiflazzDialect } from './digiflazz.ts';
import { iakDialect } from './iak.ts';
import { moogoldDialect } from './moogold.ts';
import { tokovoucherDialect } from './tokovoucher.ts';
import { topgateDialect } from './topgate.ts';
import { unipinDialect } from './unipin.ts';
import { vipResellerDialect } from './vip-reseller.ts';

/** The language of every supplier there is an adapter for. */
export const DIALECTS: readonly Dialect[] = [
  digiflazzDialect,
  vipResellerDialect,
  apigamesDialect,
  tokovoucherDialect,
  iakDialect,
  bangjeffDialect,
  moogoldDialect,
  unipinDialect,
  topgateDialect,
];
