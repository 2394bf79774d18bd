import type { Command } from 'commander';
import type { Supplier, SupplierTest } from '../answers.ts';
import { examples } from '../arguments.ts';
import { CommandError } from '../errors.ts';
import { fullTime, money, shortTime, statusCell } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks, section } from '../output.ts';
import { type AdminOptions, openAdminSession, type Session, withAdminOptions } from '../session.ts';
import { renderDetails, renderTable } from '../table.ts';
import { addSupplierConfigCommands } from './supplier-config.ts';
import { addSupplierItemsCommand } from './supplier-items.ts';
import { addSupplierPricesCommand } from './supplier-prices.ts';
import { addSupplierSyncCommand } from './supplier-sync.ts';

const COLUMNS = [
  { title: 'Supplier' },
  { title: 'Kind' },
  { title: 'Status' },
  { title: 'Our balance', align: 'right' as const },
  { title: 'Told at' },
  { title: 'Went well', align: 'right' as const },
  { title: 'Orders', align: 'right' as const },
  { title: 'Look at' },
];

/** `topgate supplier …`: who delivers. */
export function addSupplierCommands(program: Command, deps: ProgramDeps): void {
  const supplier = program
    .command('supplier')
    .description('add, examine, pause and resume suppliers, and read their price lists');

  withAdminOptions(supplier.command('list').description('list suppliers, with how they did in the last hour'))
    .addHelpText('after', examples('supplier list'))
    .action((options: AdminOptions) => list(deps, options));

  withAdminOptions(supplier.command('show').description('everything about a supplier; secrets are masked'))
    .argument('<supplier>', 'its code')
    .addHelpText('after', examples('supplier show sandbox'))
    .action(async (code: string, options: AdminOptions) => {
      const session = openAdminSession(deps, options);
      const { data } = await session.client.get<Supplier>(pathOf(code));
      session.output.result(data, () => renderSupplier(session, data));
    });

  addSupplierConfigCommands(supplier, deps);

  withAdminOptions(supplier.command('test').description('ask a supplier something harmless'))
    .argument('<supplier>', 'its code')
    .addHelpText(
      'after',
      `${examples('supplier test sandbox')}\n\nThe exit code is 1 when the supplier did not accept our account, or did not answer.`,
    )
    .action(async (code: string, options: AdminOptions) => {
      const { client, output, currency } = openAdminSession(deps, options);
      const { data } = await client.send<SupplierTest>('POST', `${pathOf(code)}/test`);
      output.result(data, () =>
        data.balance === null ? data.message : `${data.message} It is ${money(data.balance, currency)}.`,
      );
      if (!data.ok) throw new CommandError(`The test of ${code} failed.`);
    });

  addSupplierSyncCommand(supplier, deps);
  addSupplierPricesCommand(supplier, deps);
  addSupplierItemsCommand(supplier, deps);

  for (const [verb, description, done] of [
    ['pause', 'send nothing new to a supplier; what was sent is still asked about', 'is paused'],
    ['resume', 'let a supplier work again that is paused or on hold', 'works again'],
  ] as const) {
    withAdminOptions(supplier.command(verb).description(description))
      .argument('<supplier>', 'its code')
      .addHelpText('after', examples(`supplier ${verb} sandbox`))
      .action(async (code: string, options: AdminOptions) => {
        const { client, output } = openAdminSession(deps, options);
        const { data } = await client.send<Supplier>('POST', `${pathOf(code)}/${verb}`);
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
      data.map(({ code, kind, status, balance, balance_at, health, alerts }) => [
        code,
        kind,
        statusCell(status),
        balance === null ? 'not known' : money(balance, currency),
        balance_at === null ? '' : shortTime(balance_at),
        rateText(health.success_rate),
        String(health.calls),
        { text: alerts.map((alert) => alert.kind).join(', '), tone: 'warning' as const },
      ]),
      output.paint,
    );
  });
}

function renderSupplier({ output, currency }: Session, supplier: Supplier): string {
  const { paint } = output;
  const { health, balance, hold } = supplier;
  const details = renderDetails(
    [
      ['Supplier', { text: supplier.code, tone: 'strong' }],
      ['Kind', supplier.kind],
      ['Status', statusCell(supplier.status)],
      ['On hold', hold && (hold.kind === 'needs_operator' ? `${hold.reason} (until you say: supplier resume)` : hold.reason)],
      ['Our balance', balance === null ? 'not known' : money(balance, currency)],
      ['Told at', fullTime(supplier.balance_at)],
      ['Went well', wentWellText(health)],
      ['Answers', latencyText(health)],
      ['Reports to', supplier.callback_url],
    ],
    paint,
  );
  const config = renderDetails(Object.entries(supplier.config), paint);
  return joinBlocks(
    details,
    supplier.alerts.length === 0 ? null : section('Look at', supplier.alerts.map(({ message }) => message).join('\n'), paint),
    config === '' ? null : section('Settings', config, paint),
  );
}

function wentWellText({ success_rate: rate, calls, window_minutes: minutes }: Supplier['health']): string {
  return rate === null ? `no orders in ${minutes} minutes` : `${rateText(rate)} of ${calls} in ${minutes} minutes`;
}

function rateText(rate: number | null): string {
  return rate === null ? 'not known' : `${(rate * 100).toFixed(1)} %`;
}

function latencyText({ latency_p50_ms: half, latency_p95_ms: most }: Supplier['health']): string | null {
  return half === null || most === null ? null : `half within ${half} ms, 95 % within ${most} ms`;
}

function pathOf(code: string): string {
  return `/admin/api/supplier/${encodeURIComponent(code)}`;
}
