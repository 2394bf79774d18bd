import { describe, expect, test } from 'vitest';
import type { Fate } from '../simulators/shop.ts';
import type { Subject } from './subject.ts';
import { LATER_MS, NO_FAULT, PLAYER } from './values.ts';

/** Words by which some supplier tells why it does not deliver. A reseller may write each of them as a player's id. */
const TELLING_WORDS = [
  'error_require_login',
  'Session Key  Expirated',
  'wrong player id',
  'Signature not valid',
  'Nomor Tujuan Salah',
  'Ip Not Allow',
  'Member tidak ditemukan',
  'Kode Produk Tidak Ditemukan',
  'Saldo Anda tidak cukup untuk melakukan pemesanan ini.',
  'Transaksi dibatasi',
  'IP salah, signature invalid',
  'Insufficient balance',
  'Duplicate reference',
  'Failed when validate user account',
];
const TEXTS = ['message', 'error_msg', 'sn', 'note', 'reason', 'err_message', 'statusDesc'];
const NOTHING = { kind: 'unknown', hold: null };
const OUT_OF_STOCK: Fate[] = [0, LATER_MS].map((afterMs) => ({ is: 'rejected', why: 'out_of_stock', afterMs }));

/** What a reseller writes as a player's account stands in the supplier's sentences, and decides nothing there. */
export function describeChosenWords(at: Subject): void {
  const fates = OUT_OF_STOCK.filter((fate) => fate.is === 'rejected' && (fate.afterMs === 0 || at.dialect.plays.rejectsLater));
  describe.each(['userId', 'zone'] as const)('a supplier that repeats the %s in every sentence', (part) => {
    const refuse = async (fate: Fate, words: string) => {
      at.begin();
      at.simulator.shop.fateOf = () => fate;
      const player = { ...PLAYER, [part]: words };
      at.play({ is: 'altered', answer: (body) => repeatIn(body, words) });
      const bought = at.purchase(at.accountOf(player));
      const placed = await at.supplier.placeOrder(bought);
      const outcome = placed.kind === 'pending' ? await at.follow(bought, placed) : placed;
      at.play(NO_FAULT);
      return { ...essenceOf(outcome), hold: at.supplier.hold };
    };

    test.each(TELLING_WORDS)('says the same of a player called "%s" as of any other, or nothing', async (words) => {
      for (const fate of fates) expect([await refuse(fate, '12345678'), NOTHING]).toContainEqual(await refuse(fate, words));
    });
  });
}

/** The account as it was written, and as some lower-case it. */
function repeatIn(body: string, words: string): string {
  const lower = words.toLowerCase().replace(/\s+/g, ' ');
  return JSON.stringify(JSON.parse(body), (name, value) =>
    TEXTS.includes(name) && typeof value === 'string' ? `${value} (${words}, ${lower})` : value,
  );
}

function essenceOf(outcome: object): object {
  const { detail: _detail, reason: _reason, supplierReference: _name, ...essence } = outcome as Record<string, unknown>;
  return essence;
}
