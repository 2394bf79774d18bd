import { type Command, Option } from 'commander';
import type { SupplierSync, SyncReport } from '../answers.ts';
import { examples } from '../arguments.ts';
import { count, fullTime, money } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks, section } from '../output.ts';
import { type AdminOptions, openAdminSession, type Session, withAdminOptions } from '../session.ts';
import { renderDetails, renderTable } from '../table.ts';

const RULES = ['costs', 'prices', 'catalogue'];

interface SyncOptions extends AdminOptions {
  apply?: boolean;
  rule?: string;
  force?: boolean;
  schedule?: string;
  last?: boolean;
}

/** `topgate supplier sync`: what the price list says, and what follows from it. */
export function addSupplierSyncCommand(supplier: Command, deps: ProgramDeps): void {
  withAdminOptions(supplier.command('sync').description("compare a supplier's price list with the routes, and apply it"))
    .argument('<supplier>', 'its code')
    .option('--apply', 'change what the rule changes; without it nothing is changed')
    .addOption(new Option('--rule <rule>', 'what is changed: costs of routes, prices too, or also states').choices(RULES))
    .option('--force', 'believe a list that has lost most of the items in use, and costs far from what they were')
    .addOption(new Option('--schedule <rule>', 'what is done every quarter of an hour').choices(['off', ...RULES]))
    .option('--last', 'show what came of it last, without asking the supplier')
    .addHelpText(
      'after',
      examples('supplier sync main', 'supplier sync main --apply --rule prices', 'supplier sync main --schedule costs'),
    )
    .action(async (code: string, options: SyncOptions) => {
      const session = openAdminSession(deps, options);
      const path = `/admin/api/supplier/${encodeURIComponent(code)}/sync`;
      const { client, output } = session;
      if (options.schedule !== undefined) {
        const { data } = await client.send<SupplierSync>('PUT', path, { rule: options.schedule });
        return output.result(data, () => `The schedule's rule for ${code} is ${data.rule}.`);
      }
      if (options.last) {
        const { data } = await client.get<SupplierSync>(path);
        return output.result(data, () => renderSync(session, data));
      }
      const { apply = false, rule, force = false } = options;
      const body = { dry_run: !apply, force, ...(rule !== undefined && { rule }) };
      const { data } = await client.send<SyncReport>('POST', path, body);
      return output.result(data, () =>
        joinBlocks(renderReport(session, data), apply ? null : 'Nothing was changed; --apply does it.'),
      );
    });
}

function renderSync(session: Session, { rule, read_at, applied_at, result }: SupplierSync): string {
  const details = renderDetails(
    [
      ['Schedule', rule],
      ['List read', fullTime(read_at)],
      ['Applied', fullTime(applied_at)],
    ],
    session.output.paint,
  );
  return joinBlocks(details, result && renderReport(session, result));
}

function renderReport({ output, currency }: Session, report: SyncReport): string {
  const { paint } = output;
  const cost = (amount: number) => money(amount, currency);
  const change = (before: number, after: number) => `${cost(before)} → ${cost(after)}`;
  const lines = (title: string, rows: string[][]) => (rows.length === 0 ? null : section(title, renderRows(rows, paint), paint));
  return joinBlocks(
    report.message,
    lines(
      `${count(report.new_items.length, 'new item')}`,
      report.new_items.map((item) => [item.sku, item.name, cost(item.cost)]),
    ),
    lines(
      'Other costs',
      report.cost_changes.map((route) => [route.service_code, route.sku, change(route.cost_before, route.cost)]),
    ),
    lines(
      'Held back, as such a change is unlikely; --apply --force believes it',
      report.held_back.map((route) => [route.service_code, route.sku, change(route.cost_before, route.cost)]),
    ),
    lines(
      'Out of choice',
      report.unavailable.map((route) => [route.service_code, route.sku, route.reason]),
    ),
    lines(
      'Available again',
      report.available_again.map((route) => [route.service_code, route.sku]),
    ),
    lines(
      'Not readable',
      (report.unread ?? []).map((part) => [part.sku ?? '-', part.what]),
    ),
    lines(
      'Never listed',
      report.not_listed.map((route) => [route.service_code, route.sku]),
    ),
    lines(
      'Prices',
      report.price_changes.map((service) => [service.service_code, change(service.price_before, service.price)]),
    ),
    lines(
      'Sold too cheap',
      report.below_floor.map((price) => [
        price.service_code,
        price.tier,
        `${cost(price.price)}, least ${cost(price.least_price)}`,
      ]),
    ),
    lines(
      'Closed',
      report.closed_services.map((code) => [code]),
    ),
    lines(
      'Opened',
      report.opened_services.map((code) => [code]),
    ),
  );
}

/** A table needs no titles where its heading says what it is. */
function renderRows(rows: string[][], paint: Session['output']['paint']): string {
  const columns = (rows[0] ?? []).map(() => ({ title: '' }));
  return renderTable(columns, rows, paint).replace(/^[^\n]*\n/, '');
}
