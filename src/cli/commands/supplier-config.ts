import type { Command } from 'commander';
import type { Supplier, SupplierKind } from '../answers.ts';
import { examples } from '../arguments.ts';
import type { Client } from '../client.ts';
import { askForSecrets, collectValue, type GivenValue, readValues, secretsOnCommandLine } from '../config-values.ts';
import { CommandError } from '../errors.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks, type Output } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { type Paint, renderDetails, renderTable } from '../table.ts';

interface ConfigOptions extends AdminOptions {
  set?: GivenValue[];
}

const SET = 'a setting: key=value, key=@file for what a file holds, key=- for the standard input';
const KIND_COLUMNS = [{ title: 'Kind' }, { title: 'What it is' }, { title: 'Can' }];
const FIELD_COLUMNS = [{ title: 'Setting' }, { title: 'Needed' }, { title: 'Default' }, { title: 'What it is' }];
const CAPABILITIES: readonly (readonly [keyof SupplierKind['capabilities'], string])[] = [
  ['lookup', 'be asked about a lost order'],
  ['safe_resend', 'be sent an order again'],
  ['trustworthy_not_found', 'deny an order for certain'],
  ['callback', 'report'],
  ['nickname', 'tell names'],
  ['balance', 'tell our balance'],
  ['price_list', 'list prices'],
  ['price_guard', 'refuse a higher price'],
];

/** `topgate supplier kinds, add, set`: accounts at suppliers. Secrets come from files, the input or the terminal. */
export function addSupplierConfigCommands(supplier: Command, deps: ProgramDeps): void {
  withAdminOptions(supplier.command('kinds').description('the kinds of suppliers there are, and what each needs'))
    .argument('[kind]', 'only this one')
    .addHelpText('after', examples('supplier kinds', 'supplier kinds sandbox'))
    .action((kind: string | undefined, options: AdminOptions) => showKinds(deps, kind, options));

  withAdminOptions(supplier.command('add').description('add an account at a supplier'))
    .argument('<code>', 'a short name of your own for it')
    .requiredOption('--kind <kind>', 'its kind, see "supplier kinds"')
    .option('--set <setting>', SET, collectValue)
    .addHelpText(
      'after',
      examples(
        'supplier add main --kind digiflazz --set username=acme --set api_key=@digiflazz.key',
        'pass show digiflazz | topgate supplier add main --kind digiflazz --set username=acme --set api_key=-',
      ),
    )
    .action(async (code: string, options: ConfigOptions & { kind: string }) => {
      const { client, output } = openAdminSession(deps, options);
      const fields = (await findKind(client, options.kind)).fields;
      warnOfSecrets(output, fields, options.set ?? []);
      const given = await readValues(deps, options.set ?? []);
      const config = { ...given, ...(await askForSecrets(deps, fields, given)) };
      const body = { code, kind: options.kind, config };
      const { data } = await client.send<Supplier>('POST', '/admin/api/supplier', body);
      output.result(data, () => `The supplier ${data.code} is added.${callbackHint(data)}`);
    });

  withAdminOptions(supplier.command('set').description('change settings of a supplier; the others stay'))
    .argument('<supplier>', 'its code')
    .requiredOption('--set <setting>', SET, collectValue)
    .option('--same-account', 'it is the same account, although its name or its address changes')
    .addHelpText('after', examples('supplier set main --set minimum_balance=250000', 'supplier set main --set api_key=@new.key'))
    .action(async (code: string, options: ConfigOptions & { sameAccount?: boolean }) => {
      const { client, output } = openAdminSession(deps, options);
      const path = `/admin/api/supplier/${encodeURIComponent(code)}`;
      const before = await client.get<Supplier>(path);
      warnOfSecrets(output, (await findKind(client, before.data.kind)).fields, options.set ?? []);
      const config = await readValues(deps, options.set ?? []);
      const { data } = await client.send<Supplier>('PATCH', path, { config, same_account: options.sameAccount ?? false });
      output.result(data, () => `The supplier ${data.code} is changed.`);
    });
}

async function showKinds(deps: ProgramDeps, kind: string | undefined, options: AdminOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const shown = kind === undefined ? await listKinds(client) : [await findKind(client, kind)];
  output.result(shown, () => {
    const [only] = shown;
    if (kind !== undefined && only) return renderKind(only, output.paint);
    const rows = shown.map((each) => [{ text: each.kind, tone: 'strong' as const }, each.label, abilities(each).join(', ')]);
    return renderTable(KIND_COLUMNS, rows, output.paint);
  });
}

/** Everything about one kind: what it can do, and what to enter. */
function renderKind(kind: SupplierKind, paint: Paint): string {
  const settings = kind.fields.map((field) => [
    field.key,
    field.required && field.default === null ? 'yes' : '',
    field.default ?? '',
    [field.label, field.secret && '(secret)', field.help && `· ${field.help}`].filter(Boolean).join(' '),
  ]);
  const able = abilities(kind);
  const can = able.length === 0 ? 'nothing besides orders' : able.join(', ');
  const warning = kind.capabilities.check_may_buy ? 'a question may buy, so it is asked only while an order is in process' : null;
  return joinBlocks(
    renderDetails(
      [
        ['Kind', { text: `${kind.kind}, ${kind.label}`, tone: 'strong' }],
        ['Can', can],
        ['Mind', warning && { text: warning, tone: 'warning' }],
      ],
      paint,
    ),
    renderTable(FIELD_COLUMNS, settings, paint),
  );
}

function abilities({ capabilities }: SupplierKind): string[] {
  return CAPABILITIES.flatMap(([key, words]) => (capabilities[key] ? [words] : []));
}

async function listKinds(client: Client): Promise<SupplierKind[]> {
  return (await client.get<SupplierKind[]>('/admin/api/supplier-kind')).data;
}

async function findKind(client: Client, name: string): Promise<SupplierKind> {
  const kinds = await listKinds(client);
  const kind = kinds.find((candidate) => candidate.kind === name);
  if (!kind) throw new CommandError(`There is no kind "${name}". There are: ${kinds.map((known) => known.kind).join(', ')}.`);
  return kind;
}

function warnOfSecrets(output: Output, fields: SupplierKind['fields'], given: GivenValue[]): void {
  for (const key of secretsOnCommandLine(fields, given))
    output.note(`${key} stands on the command line, where others can see it. Better: --set ${key}=@file or ${key}=-`);
}

function callbackHint({ callback_url: url }: Supplier): string {
  return url === null ? '' : `\nHave it report to ${url}`;
}
