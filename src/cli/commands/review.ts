import type { Command } from 'commander';
import type { ReviewItem } from '../answers.ts';
import { examples, noteMore, type PageOptions, withPageOptions } from '../arguments.ts';
import { money, statusCell } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { renderTable } from '../table.ts';

const COLUMNS = [
  { title: 'Order' },
  { title: 'Reference' },
  { title: 'Price', align: 'right' as const },
  { title: 'Status' },
  { title: 'Waits', align: 'right' as const },
  { title: 'Supplier' },
  { title: 'Attempt' },
  { title: 'Because' },
  { title: 'You may' },
];

/** `topgate review …`: what waits for the operator. */
export function addReviewCommands(program: Command, deps: ProgramDeps): void {
  const review = program.command('review').description('orders that wait for your decision');

  withPageOptions(withAdminOptions(review.command('list').description('list them, longest waiting first')))
    .option('--supplier <code>', 'orders whose next step is with this supplier')
    .addHelpText('after', examples('review list', 'review list --supplier main'))
    .action((options: AdminOptions & PageOptions & { supplier?: string }) => list(deps, options));
}

async function list(deps: ProgramDeps, options: AdminOptions & PageOptions & { supplier?: string }): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const { supplier, limit, cursor } = options;
  const { data, nextCursor } = await client.get<ReviewItem[]>('/admin/api/review', { supplier, limit, cursor });
  output.result(data, () => {
    if (data.length === 0) return 'No order waits for a decision.';
    return renderTable(
      COLUMNS,
      data.map(({ order, waiting_seconds, last_attempt, actions }) => [
        order.order_id,
        order.ref_id,
        money(order.price, order.currency),
        statusCell(order.status),
        duration(waiting_seconds),
        order.supplier,
        last_attempt ? statusCell(last_attempt.status) : 'none',
        order.review?.reason ?? '',
        actions
          .filter(({ possible }) => possible)
          .map(({ action }) => action.replace('_', '-'))
          .join(', '),
      ]),
      output.paint,
    );
  });
  noteMore(output, nextCursor);
}

/** `3 d`, `5 h`, `12 min`: how long somebody waits, in the largest unit that says it. */
function duration(seconds: number): string {
  if (seconds >= 2 * 86_400) return `${Math.floor(seconds / 86_400)} d`;
  if (seconds >= 2 * 3_600) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 60)} min`;
}
