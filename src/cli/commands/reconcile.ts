import type { Command } from 'commander';
import type { DayDifference, ReconciliationDay, StatementFinding, SupplierStatement } from '../answers.ts';
import { examples } from '../arguments.ts';
import { CommandError } from '../errors.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { readTextFile } from '../text-file.ts';
import { renderDay, renderStatement } from './render-reconciliation.ts';

const PATH = '/admin/api/reconciliation';
/** More than this a person does not read in a terminal; --json and the interface have all. */
const SHOWN = 50;

interface StatementOptions extends AdminOptions {
  from: string;
  to?: string;
  column: Record<string, string>;
}

/** `topgate reconcile…`: what suppliers did and charged, held against our book. */
export function addReconcileCommands(program: Command, deps: ProgramDeps): void {
  withAdminOptions(program.command('reconcile').description("a day's purchases at a supplier, and which deserve a look"))
    .argument('<supplier>', 'its code')
    .argument('[date]', 'e.g. 2026-03-01 (default: today)')
    .addHelpText('after', examples('reconcile main', 'reconcile main 2026-03-01'))
    .action((supplier: string, date: string | undefined, options: AdminOptions) => showDay(deps, supplier, date, options));

  withAdminOptions(program.command('reconcile-statement').description("compare a supplier's statement with our book"))
    .argument('<supplier>', 'its code')
    .argument('<file>', 'the statement as CSV with a header row')
    .requiredOption('--from <date>', 'the first day it covers')
    .option('--to <date>', 'the last day it covers (default: the first)')
    .option('--column <name=header>', 'how the file names reference, supplier_reference, status or amount', collectColumn, {})
    .addHelpText('after', examples('reconcile-statement main mutasi.csv --from 2026-03-01 --column amount=Harga'))
    .action((supplier: string, file: string, options: StatementOptions) => compare(deps, supplier, file, options));
}

async function showDay(deps: ProgramDeps, supplier: string, date: string | undefined, options: AdminOptions): Promise<void> {
  const { client, output, currency } = openAdminSession(deps, options);
  const query = { supplier, date };
  const { data: day } = await client.get<ReconciliationDay>(PATH, query);
  const { data: differences, nextCursor } = await client.get<DayDifference[]>(`${PATH}/difference`, { ...query, limit: SHOWN });
  output.result({ ...day, listed: differences }, () => renderDay(day, differences, currency, output.paint));
  if (nextCursor !== null) output.note(`Only the first ${SHOWN} are shown: GET ${PATH}/difference has all.`);
}

async function compare(deps: ProgramDeps, supplier: string, file: string, options: StatementOptions): Promise<void> {
  const { client, output, currency } = openAdminSession(deps, options);
  const { data: statement, message } = await client.send<SupplierStatement>('POST', `${PATH}/statement`, {
    supplier,
    csv: readTextFile(file),
    date_from: options.from,
    date_to: options.to ?? options.from,
    columns: options.column,
  });
  const path = `${PATH}/statement/${statement.statement_id}/finding`;
  const { data: findings, nextCursor } = await client.get<StatementFinding[]>(path, { limit: SHOWN });
  output.result({ ...statement, listed: findings }, () =>
    joinBlocks(`${message}.`, renderStatement(statement, findings, currency, output.paint)),
  );
  if (nextCursor !== null) output.note(`Only the first ${SHOWN} are shown: GET ${path} has all.`);
}

function collectColumn(text: string, columns: Record<string, string>): Record<string, string> {
  const [, name, header] = /^([a-z_]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || header === undefined) throw new CommandError('Give columns as name=header, e.g. amount=Harga.');
  return { ...columns, [name]: header };
}
