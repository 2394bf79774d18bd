import type { Command } from 'commander';
import type { Reseller } from '../answers.ts';
import { examples, noteMore, type PageOptions, parseAmount, withPageOptions } from '../arguments.ts';
import { fullTime, money, shortTime, statusCell } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { type Paint, renderDetails, renderTable } from '../table.ts';
import { findReseller } from './find-reseller.ts';

interface AddOptions extends AdminOptions {
  name?: string;
  tier?: string;
  lowBalance?: number;
}

const COLUMNS = [
  { title: 'Username' },
  { title: 'Name' },
  { title: 'Tier' },
  { title: 'Status' },
  { title: 'Live balance', align: 'right' as const },
  { title: 'Test balance', align: 'right' as const },
  { title: 'Registered' },
  { title: 'Reseller' },
];

/** `topgate reseller …`: who may order. */
export function addResellerCommands(program: Command, deps: ProgramDeps): void {
  const reseller = program.command('reseller').description('register, list, suspend and reinstate resellers');

  withAdminOptions(reseller.command('add').description('register a reseller'))
    .argument('<username>', 'a–z 0–9 . _ -')
    .option('--name <name>', 'the name as people write it (default: the username)')
    .option('--tier <code>', 'the price tier (default: standard)')
    .option('--low-balance <amount>', 'tell the reseller when a balance falls below this', parseAmount)
    .addHelpText('after', examples('reseller add kios-ayu --name "Kios Ayu"', 'reseller add kios-ayu --low-balance 100000'))
    .action((username: string, options: AddOptions) => add(deps, username, options));

  withPageOptions(withAdminOptions(reseller.command('list').description('list resellers, newest first')))
    .option('--search <text>', 'only those whose name or username contains it')
    .addHelpText('after', examples('reseller list', 'reseller list --search ayu'))
    .action((options: AdminOptions & PageOptions & { search?: string }) => list(deps, options));

  for (const [verb, status, description] of [
    ['suspend', 'Suspended', 'refuse every request of a reseller; orders in process go on'],
    ['reinstate', 'Active', 'let a suspended reseller work again'],
  ] as const) {
    withAdminOptions(reseller.command(verb).description(description))
      .argument('<reseller>', 'username or rs_…')
      .addHelpText('after', examples(`reseller ${verb} kios-ayu`))
      .action((name: string, options: AdminOptions) => setStatus(deps, name, status, options));
  }
}

async function add(deps: ProgramDeps, username: string, options: AddOptions): Promise<void> {
  const { client, output, currency } = openAdminSession(deps, options);
  const { data } = await client.send<Reseller>('POST', '/admin/api/reseller', {
    username,
    name: options.name ?? username,
    ...(options.tier !== undefined && { tier: options.tier }),
    ...(options.lowBalance !== undefined && { low_balance_threshold: options.lowBalance }),
  });
  output.result(data, () =>
    joinBlocks(
      `${data.name} is registered.`,
      renderReseller(data, currency, output.paint),
      `Next: topgate token add ${data.username} --mode test`,
    ),
  );
}

async function list(deps: ProgramDeps, options: AdminOptions & PageOptions & { search?: string }): Promise<void> {
  const { client, output, currency } = openAdminSession(deps, options);
  const { search, limit, cursor } = options;
  const { data, nextCursor } = await client.get<Reseller[]>('/admin/api/reseller', { search, limit, cursor });
  output.result(data, () => {
    if (data.length === 0)
      return search === undefined ? 'No resellers yet. Register one: topgate reseller add' : 'No reseller matches.';
    return renderTable(
      COLUMNS,
      data.map((reseller) => [
        reseller.username,
        reseller.name,
        reseller.tier,
        statusCell(reseller.status),
        money(reseller.balances.live, currency),
        money(reseller.balances.test, currency),
        shortTime(reseller.registered_at),
        reseller.reseller_id,
      ]),
      output.paint,
    );
  });
  noteMore(output, nextCursor);
}

async function setStatus(deps: ProgramDeps, name: string, status: Reseller['status'], options: AdminOptions): Promise<void> {
  const { client, output, currency } = openAdminSession(deps, options);
  const { reseller_id: id } = await findReseller(client, name);
  const { data } = await client.send<Reseller>('PATCH', `/admin/api/reseller/${id}`, { status });
  const message = status === 'Suspended' ? `${data.name} is suspended.` : `${data.name} may order again.`;
  output.result(data, () => joinBlocks(message, renderReseller(data, currency, output.paint)));
}

function renderReseller(reseller: Reseller, currency: string, paint: Paint): string {
  const { low_balance_threshold: threshold } = reseller;
  return renderDetails(
    [
      ['Reseller', reseller.reseller_id],
      ['Username', reseller.username],
      ['Tier', reseller.tier],
      ['Status', statusCell(reseller.status)],
      ['Live balance', money(reseller.balances.live, currency)],
      ['Test balance', money(reseller.balances.test, currency)],
      ['Warned below', threshold === null ? null : money(threshold, currency)],
      ['Registered', fullTime(reseller.registered_at)],
    ],
    paint,
  );
}
