import fs from 'node:fs';
import type { Command } from 'commander';
import type { ImportSummary } from '../answers.ts';
import { examples } from '../arguments.ts';
import { CommandError } from '../errors.ts';
import { count, money, moneyChange } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks, section } from '../output.ts';
import { createProgress } from '../progress.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { type Paint, renderDetails, renderTable } from '../table.ts';
import { readTextFile, reasonOf } from '../text-file.ts';

const SHOWN_CODES = 8;
const SHOWN_PRICES = 40;
const BYTES_PER_KB = 1_000;

/** `topgate catalog …`: products and services as a CSV file. */
export function addCatalogCommands(program: Command, deps: ProgramDeps): void {
  const catalog = program.command('catalog').description('import and export the catalogue');

  withAdminOptions(catalog.command('import').description('bring products and services from a CSV file into the catalogue'))
    .argument('<file>', 'the CSV file; one row per service')
    .option('--dry-run', 'tell what would change, and change nothing')
    .addHelpText('after', examples('catalog import catalogue.csv --dry-run', 'catalog import catalogue.csv'))
    .action((file: string, options: AdminOptions & { dryRun?: boolean }) => importFile(deps, file, options));

  withAdminOptions(catalog.command('export').description('write the whole catalogue as CSV'))
    .argument('[file]', 'where to (default: standard output)')
    .addHelpText('after', examples('catalog export catalogue.csv', 'catalog export > catalogue.csv'))
    .action((file: string | undefined, options: AdminOptions) => exportFile(deps, file, options));
}

async function importFile(deps: ProgramDeps, file: string, options: AdminOptions & { dryRun?: boolean }): Promise<void> {
  const { client, output, currency } = openAdminSession(deps, options);
  const progress = createProgress(deps.stderr);
  try {
    progress.step(0, `Reading ${file}`);
    const csv = readTextFile(file);
    const size = `${count(rowsOf(csv), 'row')}, ${Math.ceil(Buffer.byteLength(csv) / BYTES_PER_KB)} kB`;
    progress.step(0.5, `Sending ${size}`);
    const { data } = await client.sendCsv<ImportSummary>('/admin/api/catalog/import', csv, {
      dry_run: options.dryRun === true ? true : undefined,
    });
    progress.step(1, `Done: ${size}`);
    progress.clear();
    output.result(data, () => renderSummary(data, currency, output.paint));
  } catch (error) {
    progress.clear();
    throw error;
  }
}

async function exportFile(deps: ProgramDeps, file: string | undefined, options: AdminOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const csv = await client.getText('/admin/api/catalog/export');
  const services = rowsOf(csv);
  if (file === undefined) return output.result({ services, csv }, () => csv.trimEnd());
  try {
    fs.writeFileSync(file, csv);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${reasonOf(error)}.`, { cause: error });
  }
  output.result({ services, file }, () => `${count(services, 'service')} written to ${file}.`);
}

/** What an import did, or would do. */
export function renderSummary(summary: ImportSummary, currency: string, paint: Paint): string {
  const prices = summary.changed_services.filter(({ price, price_before }) => price !== price_before);
  const changed = summary.changed_services.map(({ service_code }) => service_code);
  return joinBlocks(
    summary.dry_run ? 'A dry run: this is what an import would do. Nothing was changed.' : 'The catalogue is imported.',
    renderDetails(
      [
        ['New products', codes(summary.new_products)],
        ['Changed products', codes(summary.changed_products)],
        ['New services', codes(summary.new_services)],
        ['Changed services', codes(changed)],
        ['Unchanged services', String(summary.unchanged_services)],
      ],
      paint,
    ),
    prices.length === 0 ? null : section('Price changes', renderPrices(prices, currency, paint), paint),
    summary.below_cost.length === 0 ? null : section('Sold below cost', paint('warning', summary.below_cost.join(', ')), paint),
  );
}

function renderPrices(prices: ImportSummary['changed_services'], currency: string, paint: Paint): string {
  const right = 'right' as const;
  const table = renderTable(
    [{ title: 'Service' }, { title: 'Before', align: right }, { title: 'Now', align: right }, { title: 'Change', align: right }],
    prices
      .slice(0, SHOWN_PRICES)
      .map(({ service_code, price_before, price }) => [
        service_code,
        money(price_before, currency),
        money(price, currency),
        moneyChange(price - price_before, currency),
      ]),
    paint,
  );
  return prices.length > SHOWN_PRICES ? `${table}\n… and ${prices.length - SHOWN_PRICES} more; --json tells all` : table;
}

function codes(list: string[]): string {
  if (list.length === 0) return '0';
  const more = list.length > SHOWN_CODES ? ', …' : '';
  return `${list.length}  (${list.slice(0, SHOWN_CODES).join(', ')}${more})`;
}

/** A count for the eye: a quoted line break would be counted as a row, which the service does not do. */
function rowsOf(csv: string): number {
  return Math.max(0, csv.trimEnd().split('\n').length - 1);
}
