import type { Command } from 'commander';
import type { SupplierCallback } from '../answers.ts';
import { examples, noteMore, type PageOptions, withPageOptions } from '../arguments.ts';
import { shortTime } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { renderTable } from '../table.ts';

const COLUMNS = [
  { title: 'When' },
  { title: 'Supplier' },
  { title: 'Taken for' },
  { title: 'State' },
  { title: 'Says' },
  { title: 'Order' },
  { title: 'Seen', align: 'right' as const },
  { title: 'Callback' },
];

interface ListOptions extends AdminOptions, PageOptions {
  supplier?: string;
  state?: string;
  reading?: string;
}

/** `topgate callback …`: what suppliers told unasked. */
export function addCallbackCommands(program: Command, deps: ProgramDeps): void {
  const callback = program.command('callback').description('what suppliers told unasked');

  withPageOptions(withAdminOptions(callback.command('list').description('list messages of suppliers, newest first')))
    .option('--supplier <code>', 'messages of this supplier')
    .option('--state <state>', 'hints in this state, e.g. Unmatched')
    .option('--reading <reading>', 'messages that were taken for this, e.g. forged')
    .addHelpText('after', examples('callback list --supplier main', 'callback list --reading forged'))
    .action(async ({ supplier, state, reading, limit, cursor, ...options }: ListOptions) => {
      const { client, output } = openAdminSession(deps, options);
      const query = { supplier, state, reading, limit, cursor };
      const { data, nextCursor } = await client.get<SupplierCallback[]>('/admin/api/callback', query);
      output.result(data, () => {
        if (data.length === 0) return 'No message matches.';
        return renderTable(COLUMNS, data.map(toRow), output.paint);
      });
      noteMore(output, nextCursor);
    });

  withAdminOptions(callback.command('retry').description('work a message off once more'))
    .argument('<callback>', 'cb_…')
    .addHelpText('after', examples('callback retry cb_01KJJW8578E50T0CDY8X9GRWAC'))
    .action(async (id: string, options: AdminOptions) => {
      const { client, output } = openAdminSession(deps, options);
      const path = `/admin/api/callback/${encodeURIComponent(id)}/retry`;
      const { data, message } = await client.send<SupplierCallback>('POST', path);
      output.result(data, () => `${message}.`);
    });
}

function toRow({
  created_at,
  supplier,
  reading,
  reason,
  state,
  status,
  order_id,
  seen,
  callback_id,
}: SupplierCallback): string[] {
  return [
    shortTime(created_at),
    supplier,
    [reading, reason].filter((part) => part !== null).join(': '),
    state ?? '',
    status ?? '',
    order_id ?? '',
    `${seen}×`,
    callback_id,
  ];
}
