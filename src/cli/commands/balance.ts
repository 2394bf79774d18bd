import type { Command } from 'commander';
import type { Mode, Transfer } from '../answers.ts';
import { examples, parseAmount, parseMode, parseSignedAmount } from '../arguments.ts';
import { fullTime, money, moneyChange } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { renderDetails } from '../table.ts';
import { findReseller } from './find-reseller.ts';

interface MoveOptions extends AdminOptions {
  mode: Mode;
}

/** `topgate deposit` and `topgate adjust`: the two ways an operator moves money. */
export function addBalanceCommands(program: Command, deps: ProgramDeps): void {
  withAdminOptions(program.command('deposit').description('credit a payment of a reseller, once per reference'))
    .argument('<reseller>', 'username or rs_…')
    .argument('<amount>', 'what was paid in, in minor units (rupiah)', parseAmount)
    .requiredOption('--mode <mode>', 'live or test', parseMode)
    .requiredOption('--reference <text>', "the payment's own reference: given again, nothing is credited again")
    .addHelpText('after', examples('deposit kios-ayu 1250000 --mode live --reference "BCA 2026-03-01 77431"'))
    .action((reseller: string, amount: number, { reference, ...options }: MoveOptions & { reference: string }) =>
      move(deps, reseller, 'deposit', { amount, mode: options.mode, reference }, options),
    );

  withAdminOptions(program.command('adjust').description('correct a balance, in either direction'))
    .argument('<reseller>', 'username or rs_…')
    .argument('<amount>', 'signed, in minor units: a negative one takes from the balance', parseSignedAmount)
    .requiredOption('--mode <mode>', 'live or test', parseMode)
    .requiredOption('--reason <text>', "shown on the reseller's statement")
    .addHelpText('after', examples('adjust kios-ayu -25000 --mode live --reason "deposit of 1 March counted twice"'))
    .action((reseller: string, amount: number, { reason, ...options }: MoveOptions & { reason: string }) =>
      move(deps, reseller, 'adjustment', { amount, mode: options.mode, reason }, options),
    );
}

async function move(
  deps: ProgramDeps,
  name: string,
  kind: 'deposit' | 'adjustment',
  body: { amount: number; mode: Mode; reference?: string; reason?: string },
  options: AdminOptions,
): Promise<void> {
  const { client, output, currency } = openAdminSession(deps, options);
  const reseller = await findReseller(client, name);
  const { data, message } = await client.send<Transfer>('POST', `/admin/api/reseller/${reseller.reseller_id}/${kind}`, body);
  output.result(data, () =>
    joinBlocks(
      `${message}.`,
      renderDetails(
        [
          ['Reseller', `${reseller.name} (${reseller.username})`],
          ['Amount', { text: moneyChange(data.amount, currency), tone: 'strong' }],
          ['Mode', body.mode],
          ['Balance after it', money(data.balance_after, currency)],
          [kind === 'deposit' ? 'Reference' : 'Reason', data.reference],
          ['Transfer', data.transfer_id],
          ['Time', fullTime(data.time)],
        ],
        output.paint,
      ),
    ),
  );
}
