/** What our items at MooGold are called: `<product_id>:<variation_id>`, with `:voucher` behind it for codes to be handed out. */
export interface Sku {
  /** Needed for the price list only; null where the sku is the variation alone. */
  productId: string | null;
  variationId: string;
  /** 1: into the player's account. 2: a voucher. */
  category: '1' | '2';
}

export function readSku(sku: string): Sku {
  const parts = sku.split(':');
  const category = parts.at(-1) === 'voucher' ? '2' : '1';
  const [first = '', second] = category === '2' ? parts.slice(0, -1) : parts;
  return { productId: second === undefined ? null : first, variationId: second ?? first, category };
}
