import type { Command } from 'commander';
import type { ReviewItem } from '../answers.ts';
import { examples, noteMore, type PageOptions, withPageOptions } from '../arguments.ts';
import { money, statusCell } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks, section } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { type Paint, renderDetails, renderTable } from '../table.ts';

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

interface ListOptions extends AdminOptions, PageOptions {
  supplier?: string;
  why?: boolean;
}

/** `topgate review …`: what waits for the operator. */
export function addReviewCommands(program: Command, deps: ProgramDeps): void {
  const review = program.command('review').description('orders that wait for your decision');

  withPageOptions(withAdminOptions(review.command('list').description('list them, longest waiting first')))
    .option('--supplier <code>', 'orders whose next step is with this supplier')
    .option('--why', 'say as well what you may not do, and why not')
    .addHelpText('after', examples('review list', 'review list --supplier main', 'review list --why'))
    .action((options: ListOptions) => list(deps, options));
}

async function list(deps: ProgramDeps, options: ListOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const { supplier, limit, cursor } = options;
  const { data, nextCursor } = await client.get<ReviewItem[]>('/admin/api/review', { supplier, limit, cursor });
  output.result(data, () => {
    if (data.length === 0) return 'No order waits for a decision.';
    const table = renderTable(
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
    return joinBlocks(table, options.why ? renderWhyNot(data, output.paint) : null);
  });
  noteMore(output, nextCursor);
}

/** What is not possible now, order by order: mostly it says what to do first. */
function renderWhyNot(items: ReviewItem[], paint: Paint): string {
  const blocks = items.map(({ order, actions }) => {
    const refused = actions.filter(({ possible }) => !possible);
    const entries = refused.map(({ action, why_not }) => [action.replace('_', '-'), why_not] as [string, string | null]);
    return entries.length === 0 ? null : section(order.order_id, renderDetails(entries, paint), paint);
  });
  return joinBlocks(...blocks);
}

/** `3 d`, `5 h`, `12 min`: how long somebody waits, in the largest unit that says it. */
function duration(seconds: number): string {
  if (seconds >= 2 * 86_400) return `${Math.floor(seconds / 86_400)} d`;
  if (seconds >= 2 * 3_600) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 60)} min`;
}
