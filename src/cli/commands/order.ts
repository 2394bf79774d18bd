import type { Command } from 'commander';
import type { AdminOrder, Mode, Order, OrderDetail } from '../answers.ts';
import { examples, noteMore, type PageOptions, parseMode, parseState, withPageOptions } from '../arguments.ts';
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
}

type Outcome = Exclude<Order['status'], 'Process'>;

const OUTCOMES = ['Success', 'Failed', 'Refunded'] as const;
const STATES = ['Process', ...OUTCOMES] as const;

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
    .addHelpText('after', examples('order resolve INV-1001 failed --reason "supplier confirmed by chat: never arrived"'))
    .action((name: string, outcome: Outcome, options: ResolveOptions) => resolve(deps, name, outcome, options));

  withAdminOptions(order.command('recheck').description('have the supplier asked about an order now'))
    .argument('<order>', 'TG… or the ref_id')
    .addHelpText('after', examples('order recheck INV-1001'))
    .action((name: string, options: AdminOptions) => recheck(deps, name, options));
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

async function resolve(deps: ProgramDeps, name: string, outcome: Outcome, options: ResolveOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const path = `/admin/api/order/${await findOrderId(client, name)}/resolve`;
  const { data, message } = await client.send<OrderDetail>('POST', path, {
    outcome,
    reason: options.reason,
    ...(options.serialNumber !== undefined && { serial_number: options.serialNumber }),
  });
  output.result(data, () => joinBlocks(`${message}.`, renderOrderDetail(data, output.paint)));
}

async function recheck(deps: ProgramDeps, name: string, options: AdminOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const path = `/admin/api/order/${await findOrderId(client, name)}/recheck`;
  const { data, message } = await client.send<OrderDetail>('POST', path);
  output.result(data, () => joinBlocks(`${message}.`, renderOrderDetail(data, output.paint)));
}
