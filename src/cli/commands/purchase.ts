import type { Command } from 'commander';
import { after, SECOND_MS } from '../../lib/clock.ts';
import { newSecretText } from '../../lib/ids.ts';
import type { Nickname, Order } from '../answers.ts';
import { examples, parseAmount } from '../arguments.ts';
import { type Answer, type Client, NoAnswerError } from '../client.ts';
import { CommandError } from '../errors.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { openResellerSession, type ResellerOptions, withResellerOptions } from '../session.ts';
import { renderDetails } from '../table.ts';
import { isOrderId } from './find-order.ts';
import { renderOrder } from './render-order.ts';

interface PlaceOptions extends ResellerOptions {
  refId?: string;
  maxPrice?: number;
  wait?: boolean;
}

const WAIT_LIMIT_MS = 60 * SECOND_MS;
const WAIT_STEP_MS = SECOND_MS;

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
      const { client, output } = openResellerSession(deps, options);
      const path = `/api/nickname/${encodeURIComponent(product)}`;
      const { data } = await client.get<Nickname>(path, { user_id: userId, zone });
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
  const { client, output, secret } = openResellerSession(deps, options);
  if (secret === null) throw new CommandError('An order is signed: give the signing secret in TOPGATE_SECRET or with --secret.');
  const refId = options.refId ?? `CLI-${newSecretText(9)}`;
  const maxPrice = options.maxPrice === undefined ? null : BigInt(options.maxPrice);
  const request = {
    service_code: serviceCode,
    ref_id: refId,
    account_identifier: { user_id: userId, zone },
    signature: await deps.installation.sign({ serviceCode, refId, userId, zone, maxPrice }, secret),
    ...(options.maxPrice !== undefined && { max_price: options.maxPrice }),
  };
  let { data } = await sendOrder(client, request);
  if (options.wait) data = await untilDone(deps, client, data);
  output.result(data, () => joinBlocks(headline(data), renderOrder(data, output.paint)));
}

async function status(deps: ProgramDeps, name: string, options: ResellerOptions & { wait?: boolean }): Promise<void> {
  const { client, output } = openResellerSession(deps, options);
  let { data } = await client.get<Order>('/api/order/status', isOrderId(name) ? { order_id: name } : { ref_id: name });
  if (options.wait) data = await untilDone(deps, client, data);
  output.result(data, () => renderOrder(data, output.paint));
}

async function sendOrder(client: Client, request: { ref_id: string }): Promise<Answer<Order>> {
  try {
    return await client.send<Order>('POST', '/api/order', request);
  } catch (error) {
    if (!(error instanceof NoAnswerError && error.sent)) throw error;
    throw new CommandError(
      `${error.message}\n  The order may exist. Ask with: topgate order status ${request.ref_id}\n` +
        `  Or repeat the command with --ref-id ${request.ref_id}: one reference never buys twice.`,
      { cause: error },
    );
  }
}

async function untilDone({ clock }: ProgramDeps, client: Client, order: Order): Promise<Order> {
  const giveUpAt = after(clock.now(), WAIT_LIMIT_MS);
  let latest = order;
  while (latest.status === 'Process' && clock.now() < giveUpAt) {
    await clock.sleep(WAIT_STEP_MS);
    latest = (await client.get<Order>('/api/order/status', { order_id: order.order_id })).data;
  }
  return latest;
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
