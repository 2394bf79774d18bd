import type { Command } from 'commander';
import type { SupplierItem } from '../answers.ts';
import { examples, noteMore, type PageOptions, withPageOptions } from '../arguments.ts';
import { money, shortTime } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { renderTable } from '../table.ts';

const COLUMNS = [
  { title: 'Item' },
  { title: 'Name' },
  { title: 'Cost', align: 'right' as const },
  { title: 'For sale' },
  { title: 'Delivers' },
];

/** `topgate supplier items`: what there is in a price list, as it was last read. */
export function addSupplierItemsCommand(supplier: Command, deps: ProgramDeps): void {
  withPageOptions(withAdminOptions(supplier.command('items').description("search the items of a supplier's price list")))
    .argument('<supplier>', 'its code')
    .argument('[words...]', 'words that the item or its name has, all of them')
    .addHelpText('after', examples('supplier items main', 'supplier items main mobile legends 86'))
    .action((code: string, words: string[], options: AdminOptions & PageOptions) => search(deps, code, words, options));
}

async function search(deps: ProgramDeps, code: string, words: string[], options: AdminOptions & PageOptions): Promise<void> {
  const { client, output, currency } = openAdminSession(deps, options);
  const { limit, cursor } = options;
  const found = words.join(' ');
  const { data, nextCursor } = await client.get<SupplierItem[]>(`/admin/api/supplier/${encodeURIComponent(code)}/item`, {
    search: found === '' ? undefined : found,
    limit,
    cursor,
  });
  output.result(data, () => {
    const readAt = data[0]?.read_at;
    if (data.length === 0) return `No such item in the list as it was last read. Read it with: topgate supplier sync ${code}`;
    const table = renderTable(
      COLUMNS,
      data.map(({ sku, name, cost, available, services }) => [
        sku,
        name,
        money(cost, currency),
        available ? 'yes' : { text: 'no', tone: 'warning' as const },
        services.join(', '),
      ]),
      output.paint,
    );
    return joinBlocks(table, readAt ? `As read ${shortTime(readAt)}.` : null);
  });
  noteMore(output, nextCursor);
}
