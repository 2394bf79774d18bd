import fs from 'node:fs';
import type { Command } from 'commander';
import type { RouteImport } from '../answers.ts';
import { examples } from '../arguments.ts';
import { CommandError } from '../errors.ts';
import { count } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks, section } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { type Paint, renderDetails } from '../table.ts';
import { readTextFile, reasonOf } from '../text-file.ts';

const SHOWN_CODES = 8;
const SHOWN_WARNINGS = 40;

/** `topgate route import` and `export`: the routes of many services as a CSV file. */
export function addRouteFileCommands(route: Command, deps: ProgramDeps): void {
  withAdminOptions(route.command('import').description('set the routes of many services from a CSV file, all or nothing'))
    .argument('<file>', 'one row per route: service_code, supplier, sku, cost, account_template, once_per_day, cut_off')
    .option('--dry-run', 'tell what would change, and change nothing')
    .addHelpText('after', examples('route import routes.csv --dry-run', 'route import routes.csv'))
    .action((file: string, options: AdminOptions & { dryRun?: boolean }) => importFile(deps, file, options));

  withAdminOptions(route.command('export').description('write all routes as CSV'))
    .argument('[file]', 'where to (default: standard output)')
    .addHelpText('after', examples('route export routes.csv', 'route export > routes.csv'))
    .action((file: string | undefined, options: AdminOptions) => exportFile(deps, file, options));
}

async function importFile(deps: ProgramDeps, file: string, options: AdminOptions & { dryRun?: boolean }): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const { data } = await client.sendCsv<RouteImport>('/admin/api/route/import', readTextFile(file), {
    dry_run: options.dryRun === true ? true : undefined,
  });
  output.result(data, () => renderImport(data, output.paint));
}

async function exportFile(deps: ProgramDeps, file: string | undefined, options: AdminOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const csv = await client.getText('/admin/api/route/export');
  const routes = csv.trimEnd().split('\n').length - 1;
  if (file === undefined) return output.result({ routes, csv }, () => csv.trimEnd());
  try {
    fs.writeFileSync(file, csv);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${reasonOf(error)}.`, { cause: error });
  }
  output.result({ routes, file }, () => `${count(routes, 'route')} written to ${file}.`);
}

function renderImport(summary: RouteImport, paint: Paint): string {
  const { warnings, warnings_total: total } = summary;
  const shown = warnings.slice(0, SHOWN_WARNINGS).map(({ line, message }) => paint('warning', `line ${line}: ${message}`));
  const more = total > shown.length ? [`… and ${total - shown.length} more`] : [];
  return joinBlocks(
    summary.dry_run ? 'A dry run: this is what an import would do. Nothing was changed.' : 'The routes are imported.',
    renderDetails(
      [
        ['Routes in the file', String(summary.routes)],
        ['Services with first routes', codes(summary.new_services)],
        ['Services with other routes', codes(summary.changed_services)],
        ['Unchanged services', String(summary.unchanged_services)],
      ],
      paint,
    ),
    total === 0 ? null : section('Against the price lists', [...shown, ...more].join('\n'), paint),
  );
}

function codes(list: string[]): string {
  if (list.length === 0) return '0';
  const more = list.length > SHOWN_CODES ? ', …' : '';
  return `${list.length}  (${list.slice(0, SHOWN_CODES).join(', ')}${more})`;
}
