import type { Command } from 'commander';
import type { Supplier } from '../answers.ts';
import { examples } from '../arguments.ts';
import { money, shortTime, statusCell } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { renderTable } from '../table.ts';

const COLUMNS = [
  { title: 'Supplier' },
  { title: 'Kind' },
  { title: 'Status' },
  { title: 'Our balance', align: 'right' as const },
  { title: 'Told at' },
];

/** `topgate supplier …`: who delivers. */
export function addSupplierCommands(program: Command, deps: ProgramDeps): void {
  const supplier = program.command('supplier').description('list, pause and resume suppliers');

  withAdminOptions(supplier.command('list').description('list suppliers'))
    .addHelpText('after', examples('supplier list'))
    .action((options: AdminOptions) => list(deps, options));

  for (const [verb, description, done] of [
    ['pause', 'send nothing new to a supplier; what was sent is still asked about', 'is paused'],
    ['resume', 'let a paused supplier work again', 'works again'],
  ] as const) {
    withAdminOptions(supplier.command(verb).description(description))
      .argument('<supplier>', 'its code')
      .addHelpText('after', examples(`supplier ${verb} sandbox`))
      .action(async (code: string, options: AdminOptions) => {
        const { client, output } = openAdminSession(deps, options);
        const { data } = await client.send<Supplier>('POST', `/admin/api/supplier/${encodeURIComponent(code)}/${verb}`);
        output.result(data, () => `The supplier ${data.code} ${done}.`);
      });
  }
}

async function list(deps: ProgramDeps, options: AdminOptions): Promise<void> {
  const { client, output, currency } = openAdminSession(deps, options);
  const { data } = await client.get<Supplier[]>('/admin/api/supplier');
  output.result(data, () => {
    if (data.length === 0) return 'No suppliers yet.';
    return renderTable(
      COLUMNS,
      data.map(({ code, kind, status, balance, balance_at }) => [
        code,
        kind,
        statusCell(status),
        balance === null ? 'not known' : money(balance, currency),
        balance_at === null ? '' : shortTime(balance_at),
      ]),
      output.paint,
    );
  });
}
