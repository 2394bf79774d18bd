import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { pagedSchema, pagedSuccess, pageQuery } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { timeField } from '../lib/answer-fields.ts';
import { formatTime } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { mapPage } from '../lib/page.ts';
import { ADMIN_TAGS, type PriceListAdminDeps, requireSupplier, supplierParams } from './admin-parts.ts';
import { type FoundItem, searchItems } from './item-store.ts';

const querySchema = z.strictObject({
  search: text(1, 128).optional().describe('Words that the SKU or the name has, every one of them.'),
  ...pageQuery('text'),
});

const itemViewSchema = z
  .object({
    sku: z.string(),
    name: z.string(),
    cost: z.int(),
    available: z.boolean().describe('It is in the list, and for sale.'),
    services: z.array(z.string()).describe('The services that routes to it deliver.'),
    first_seen_at: timeField,
    gone_at: timeField.nullable().describe('Since when it is no longer in the list.'),
    read_at: timeField.nullable().describe('When the list was last read.'),
  })
  .meta({
    id: 'SupplierItem',
    examples: [
      {
        sku: 'ML85',
        name: 'Mobile Legends 85 Diamonds',
        cost: 22_650,
        available: true,
        services: ['MLBB-85'],
        first_seen_at: '2026-02-01T10:00:00+07:00',
        gone_at: null,
        read_at: '2026-02-14T10:00:00+07:00',
      },
    ],
  });

/** The items of a supplier's list as it was last read: nothing is asked of the supplier. */
export function addItemRoutes(app: TypedApp, deps: PriceListAdminDeps): void {
  app.get(
    '/admin/api/supplier/:code/item',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listSupplierItems',
        summary: "Search the items of the supplier's price list",
        description: 'As the list was last read, by SKU, with the services that they deliver.',
        params: supplierParams,
        querystring: querySchema,
        response: { 200: pagedSchema(itemViewSchema, 'Items retrieved') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      const { code } = request.params;
      const { search = '', cursor, limit } = request.query;
      await requireSupplier(deps, code);
      const words = search.split(/\s+/).filter((word) => word !== '');
      const page = await searchItems(deps.db, code, { words, cursor, limit });
      return pagedSuccess(
        'Items retrieved',
        mapPage(page, (item) => itemView(item, deps.view.timeZone)),
      );
    },
  );
}

function itemView(item: FoundItem, timeZone: string): z.infer<typeof itemViewSchema> {
  const time = (at: Date | null) => (at === null ? null : formatTime(at, timeZone));
  return {
    sku: item.sku,
    name: item.name,
    cost: toJsonAmount(item.cost),
    available: item.available,
    services: item.serviceCodes,
    first_seen_at: formatTime(item.firstSeenAt, timeZone),
    gone_at: time(item.goneAt),
    read_at: time(item.readAt),
  };
}
