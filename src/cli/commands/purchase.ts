import type { Command } from 'commander';
import { isTopgateError, type Order, type OrderParams, type OrderReference } from '../../../sdk/src/index.ts';
import { SECOND_MS } from '../../lib/clock.ts';
import { newSecretText } from '../../lib/ids.ts';
import { examples, parseAmount } from '../arguments.ts';
import { CommandError } from '../errors.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { openResellerSession, type ResellerOptions, type ResellerSession, withResellerOptions } from '../session.ts';
import { renderDetails } from '../table.ts';
import { isOrderId } from './find-order.ts';
import { renderOrder } from './render-order.ts';

interface PlaceOptions extends ResellerOptions {
  refId?: string;
  maxPrice?: number;
  wait?: boolean;
}

const WAIT_LIMIT_MS = 60 * SECOND_MS;
/** Whoever sits at the terminal decides about another try. */
const ONCE = { maxRetries: 0 };

/** The reseller's half of `topgate order …`: for trying the interface out without writing a program. */
export function addPurchaseCommands(order: Command, deps: ProgramDeps): void {
  withResellerOptions(order.command('place').description('place a signed order as a reseller'))
    .argument('<service>', 'a service code, e.g. MLBB-85')
    .argument('<user-id>', "the player's id in the game")
    .argument('[zone]', 'the zone or server, for games that have them')
    .option('--ref-id <text>', 'your reference; given again, nothing is bought again (default: a new one)')
    .option('--max-price <amount>', 'refuse the order when the price is above this', parseAmount)
    .option('--wait', 'wait until the order is done, up to a minute')
    .addHelpText(
      'after',
      examples('order place MLBB-85 123450001 2001 --wait', 'order place FF-70 900000001 --ref-id INV-1002 --max-price 10000'),
    )
    .action((service: string, userId: string, zone: string | undefined, options: PlaceOptions) =>
      place(deps, { serviceCode: service, userId, zone: zone ?? '' }, options),
    );

  withResellerOptions(order.command('status').description('the state of an order, as its reseller'))
    .argument('<order>', 'the ref_id or TG…')
    .option('--wait', 'wait until the order is done, up to a minute')
    .addHelpText('after', examples('order status INV-1001', 'order status INV-1001 --wait'))
    .action((name: string, options: ResellerOptions & { wait?: boolean }) => status(deps, name, options));
}

/** `topgate nickname`, as a reseller. */
export function addNicknameCommand(program: Command, deps: ProgramDeps): void {
  withResellerOptions(program.command('nickname').description("look up a player's nickname, as a reseller"))
    .argument('<product>', 'a product code, e.g. MLBB')
    .argument('<user-id>', "the player's id in the game")
    .argument('[zone]', 'the zone or server, for games that have them')
    .addHelpText('after', examples('nickname MLBB 123450001 2001'))
    .action(async (product: string, userId: string, zone: string | undefined, options: ResellerOptions) => {
      const { call, output } = openResellerSession(deps, options);
      const data = await call((topgate) => topgate.nicknames.lookup({ product_code: product, user_id: userId, zone }, ONCE));
      output.result(data, () =>
        renderDetails(
          [
            ['Nickname', { text: data.nickname, tone: 'strong' }],
            ['Product', data.product_code],
            ['User id', data.user_id],
            ['Zone', data.zone],
          ],
          output.paint,
        ),
      );
    });
}

async function place(
  deps: ProgramDeps,
  { serviceCode, userId, zone }: { serviceCode: string; userId: string; zone: string },
  options: PlaceOptions,
): Promise<void> {
  const session = openResellerSession(deps, options);
  const { output } = session;
  if (!session.canSign) throw new CommandError('An order is signed: give the signing secret in TOPGATE_SECRET or with --secret.');
  const order: OrderParams = {
    service_code: serviceCode,
    ref_id: options.refId ?? `CLI-${newSecretText(9)}`,
    account_identifier: { user_id: userId, zone },
    max_price: options.maxPrice,
  };
  let data = await session.call((topgate) => topgate.orders.create(order, ONCE));
  if (options.wait) data = await untilDone(session, data);
  output.result(data, () => joinBlocks(headline(data), renderOrder(data, output.paint)));
}

async function status(deps: ProgramDeps, name: string, options: ResellerOptions & { wait?: boolean }): Promise<void> {
  const session = openResellerSession(deps, options);
  const { output } = session;
  const reference: OrderReference = isOrderId(name) ? { order_id: name } : { ref_id: name };
  let data = await session.call((topgate) => topgate.orders.status(reference, ONCE));
  if (options.wait) data = await untilDone(session, data);
  output.result(data, () => renderOrder(data, output.paint));
}

/** The order when it is done, or as it is when the time is up. */
function untilDone(session: ResellerSession, { order_id }: Order): Promise<Order> {
  return session.call(async (topgate): Promise<Order> => {
    try {
      return await topgate.waitForOrder({ order_id }, { timeoutMs: WAIT_LIMIT_MS });
    } catch (error) {
      if (isTopgateError(error, 'order_pending')) return error.details.order;
      throw error;
    }
  });
}

function headline(order: Order): string {
  switch (order.status) {
    case 'Process':
      return `The order is paid and being delivered. Follow it: topgate order status ${order.ref_id}`;
    case 'Success':
      return 'The order is delivered.';
    case 'Failed':
      return 'The order was not delivered; its price went back to the balance.';
    case 'Refunded':
      return 'The delivery was taken back; its price went back to the balance.';
  }
}
