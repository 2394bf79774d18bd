import { type Command, Option } from 'commander';
import type { ListedTerms, SupplierSync, SyncReport } from '../answers.ts';
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
      return output.result(data, () => joinBlocks(renderReport(session, data), apply ? null : nextStep(data)));
    });
}

/** What is left to do after a comparison. */
function nextStep(report: SyncReport): string {
  if (report.outcome === 'refused')
    return 'Nothing was changed. If the list is right, --apply --force believes it, as soon as the supplier may be asked again.';
  const changes = [
    report.cost_changes,
    report.terms_changes,
    report.unavailable,
    report.available_again,
    report.price_changes,
    report.closed_services,
    report.opened_services,
  ];
  return changes.some(({ length }) => length > 0) ? 'Nothing was changed; --apply does it.' : 'There is nothing to apply.';
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
      newItemsTitle(report),
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
      'Other terms',
      report.terms_changes.map((route) => [
        route.service_code,
        route.sku,
        `${termsText(route.before)} → ${termsText(route.after)}`,
      ]),
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

function newItemsTitle({ new_items: listed, new_items_total: total }: SyncReport): string {
  const title = count(total, 'new item');
  return total > listed.length ? `${title}, of which the first ${listed.length}` : title;
}

function termsText({ cut_off, once_per_day }: ListedTerms): string {
  const terms = [cut_off && `not from ${cut_off.start} to ${cut_off.end}`, once_per_day && 'once a day'].filter(Boolean);
  return terms.length === 0 ? 'at any time' : terms.join(', ');
}

/** A table needs no titles where its heading says what it is. */
function renderRows(rows: string[][], paint: Session['output']['paint']): string {
  const columns = (rows[0] ?? []).map(() => ({ title: '' }));
  return renderTable(columns, rows, paint).replace(/^[^\n]*\n/, '');
}
