import type { Command } from 'commander';
import type { ItemPrice } from '../answers.ts';
import { examples } from '../arguments.ts';
import { money, shortTime } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { renderTable } from '../table.ts';

/** `topgate supplier prices`: what an item cost over time, as the price lists told. */
export function addSupplierPricesCommand(supplier: Command, deps: ProgramDeps): void {
  withAdminOptions(supplier.command('prices').description('what an item cost at a supplier, newest first'))
    .argument('<supplier>', 'its code')
    .argument('<item>', "the supplier's name for the item")
    .addHelpText('after', examples('supplier prices main ML85'))
    .action(async (code: string, sku: string, options: AdminOptions) => {
      const { client, output, currency } = openAdminSession(deps, options);
      const { data } = await client.get<ItemPrice[]>(`/admin/api/supplier/${encodeURIComponent(code)}/price`, { sku });
      output.result(data, () => {
        if (data.length === 0) return 'No price list that was read has had this item.';
        return renderTable(
          [{ title: 'Since' }, { title: 'Cost', align: 'right' }],
          data.map(({ at, cost }) => [shortTime(at), money(cost, currency)]),
          output.paint,
        );
      });
    });
}
