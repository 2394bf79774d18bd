import type { Command } from 'commander';
import type { AdminOrder, Mode, Order, OrderDetail } from '../answers.ts';
import { examples, noteMore, type PageOptions, parseMode, parseState, withPageOptions } from '../arguments.ts';
import { CommandError } from '../errors.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { findOrderId } from './find-order.ts';
import { findReseller } from './find-reseller.ts';
import { renderOrderDetail, renderOrders } from './render-order.ts';

interface ListOptions extends AdminOptions, PageOptions {
  status?: Order['status'];
  mode?: Mode;
  reseller?: string;
  product?: string;
  supplier?: string;
  review?: boolean;
  from?: string;
  to?: string;
}

interface ResolveOptions extends AdminOptions {
  reason: string;
  serialNumber?: string;
  byOtherMeans?: boolean;
}

interface RedirectOptions extends AdminOptions {
  reason: string;
  supplier?: string;
  sku?: string;
}

type Outcome = Exclude<Order['status'], 'Process'>;

const OUTCOMES = ['Success', 'Failed', 'Refunded'] as const;
const STATES = ['Process', ...OUTCOMES] as const;

const NOT_DELIVERED_HELP = `
The open purchase is closed, and the order goes on with its next route, or is refunded when none is left.
If the supplier delivers after all, the player has it twice.
${examples('order not-delivered INV-1001 --reason "supplier by chat: transaction not found, nothing charged"')}`;

/** The operator's half of `topgate order …`. */
export function addOrderCommands(order: Command, deps: ProgramDeps): void {
  withPageOptions(withAdminOptions(order.command('list').description('list orders, newest first')))
    .option('--review', 'only those that wait for your decision')
    .option('--status <status>', STATES.join(', '), parseState(STATES))
    .option('--mode <mode>', 'live or test', parseMode)
    .option('--reseller <reseller>', 'username or rs_…')
    .option('--product <code>', 'a product, e.g. MLBB')
    .option('--supplier <code>', 'orders whose next step is with this supplier')
    .option('--from <time>', 'from this time on, e.g. 2026-03-01T00:00:00+07:00')
    .option('--to <time>', 'before this time')
    .addHelpText('after', examples('order list', 'order list --review', 'order list --reseller kios-ayu --status failed'))
    .action((options: ListOptions) => list(deps, options));

  withAdminOptions(order.command('show').description('one order with everything that happened to it'))
    .argument('<order>', 'TG… or the ref_id')
    .addHelpText('after', examples('order show INV-1001'))
    .action((name: string, options: AdminOptions) => show(deps, name, options));

  withAdminOptions(order.command('resolve').description('decide the outcome of an order that its supplier does not tell'))
    .argument('<order>', 'TG… or the ref_id')
    .argument('<outcome>', `${OUTCOMES.join(', ')}: the last two give the money back`, parseState(OUTCOMES))
    .requiredOption('--reason <text>', 'why; kept in the audit log')
    .option('--serial-number <text>', 'proof of delivery, with Success')
    .option('--by-other-means', 'with Success: not by its supplier, which is asked on whether it delivers as well')
    .addHelpText('after', examples('order resolve INV-1001 failed --reason "supplier confirmed by chat: never arrived"'))
    .action((name: string, outcome: Outcome, options: ResolveOptions) =>
      act(deps, name, 'resolve', options, {
        outcome,
        reason: options.reason,
        ...(options.serialNumber !== undefined && { serial_number: options.serialNumber }),
        ...(options.byOtherMeans && { by_other_means: true }),
      }),
    );

  withAdminOptions(order.command('recheck').description('have the supplier asked about an order now'))
    .argument('<order>', 'TG… or the ref_id')
    .addHelpText('after', examples('order recheck INV-1001'))
    .action((name: string, options: AdminOptions) => act(deps, name, 'recheck', options));

  withAdminOptions(
    order.command('not-delivered').description('say that the supplier has told you it has not delivered and never will'),
  )
    .argument('<order>', 'TG… or the ref_id')
    .requiredOption('--reason <text>', 'how you know; kept in the audit log')
    .addHelpText('after', NOT_DELIVERED_HELP)
    .action((name: string, options: RedirectOptions) => act(deps, name, 'not-delivered', options, { reason: options.reason }));

  withAdminOptions(order.command('reroute').description('send an order that is known not to be delivered by another route'))
    .argument('<order>', 'TG… or the ref_id')
    .requiredOption('--reason <text>', 'why; kept in the audit log')
    .option('--supplier <code>', 'the supplier of the route, with --sku; the next route when absent')
    .option('--sku <sku>', "the supplier's item, with --supplier")
    .addHelpText('after', examples('order reroute INV-1001 --reason "out of stock until Monday"'))
    .action((name: string, options: RedirectOptions) =>
      act(deps, name, 'reroute', options, { reason: options.reason, ...routeOf(options) }),
    );
}

function routeOf({ supplier, sku }: RedirectOptions): { route?: { supplier: string; sku: string } } {
  if (supplier === undefined && sku === undefined) return {};
  if (supplier === undefined || sku === undefined) throw new CommandError('Give both --supplier and --sku, or neither.');
  return { route: { supplier, sku } };
}

async function list(deps: ProgramDeps, options: ListOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const { status, mode, product, supplier, review, from, to, limit, cursor } = options;
  const reseller = options.reseller === undefined ? undefined : await findReseller(client, options.reseller);
  const filters = { status, mode, reseller_id: reseller?.reseller_id, product_code: product, supplier, review, from, to };
  const { data, nextCursor } = await client.get<AdminOrder[]>('/admin/api/order', { ...filters, limit, cursor });
  output.result(data, () => {
    if (data.length > 0) return renderOrders(data, output.paint);
    if (review) return 'No order waits for a decision.';
    return Object.values(filters).every((filter) => filter === undefined) ? 'No orders yet.' : 'No order matches.';
  });
  noteMore(output, nextCursor);
}

async function show(deps: ProgramDeps, name: string, options: AdminOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const { data } = await client.get<OrderDetail>(`/admin/api/order/${await findOrderId(client, name)}`);
  output.result(data, () => renderOrderDetail(data, output.paint));
}

async function act(deps: ProgramDeps, name: string, action: string, options: AdminOptions, body?: object): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const path = `/admin/api/order/${await findOrderId(client, name)}/${action}`;
  const { data, message } = await client.send<OrderDetail>('POST', path, body);
  output.result(data, () => joinBlocks(`${message}.`, renderOrderDetail(data, output.paint)));
}
