import { Command, CommanderError } from 'commander';
import { addAuditCommand } from './commands/audit.ts';
import { addAuditLogCommand } from './commands/audit-log.ts';
import { addBalanceCommands } from './commands/balance.ts';
import { addCallbackCommands } from './commands/callback.ts';
import { addCatalogCommands } from './commands/catalog.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addListenCommand } from './commands/listen.ts';
import { addMaintenanceCommands } from './commands/maintenance.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addOrderCommands } from './commands/order.ts';
import { addNicknameCommand, addPurchaseCommands } from './commands/purchase.ts';
import { addReconcileCommands } from './commands/reconcile.ts';
import { addResellerCommands } from './commands/reseller.ts';
import { addReviewCommands } from './commands/review.ts';
import { addRouteCommands } from './commands/route.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSupplierCommands } from './commands/supplier.ts';
import { addTokenCommands } from './commands/token.ts';
import { CommandError } from './errors.ts';
import type { ProgramDeps } from './installation.ts';
import { createPaint } from './output.ts';
import { withoutControls } from './table.ts';

const CLOSING = `
Every command has its own help with examples: topgate reseller add --help

In development, "npm start" once and every command finds the tokens by itself. Elsewhere, give
TOPGATE_URL and ADMIN_TOKEN (for order place, order status, nickname and listen: TOPGATE_TOKEN and TOPGATE_SECRET).`;

/** The whole command line; nothing runs until it is given its arguments. */
export function createProgram(deps: ProgramDeps): Command {
  const program = new Command('topgate')
    .description('Topgate, a self-hosted ordering service for game top-ups')
    .version(deps.version)
    .addHelpText('after', CLOSING);

  program.commandsGroup('The installation:');
  addServeCommand(program, deps);
  addMigrateCommand(program, deps);
  addDoctorCommand(program, deps);
  addAuditCommand(program, deps);
  addAuditLogCommand(program, deps);
  addMaintenanceCommands(program, deps);

  program.commandsGroup('Resellers and money:');
  addResellerCommands(program, deps);
  addTokenCommands(program, deps);
  addBalanceCommands(program, deps);

  program.commandsGroup('Catalogue and suppliers:');
  addCatalogCommands(program, deps);
  addSupplierCommands(program, deps);
  addRouteCommands(program, deps);
  addCallbackCommands(program, deps);
  addReconcileCommands(program, deps);

  program.commandsGroup('Orders:');
  const order = program.command('order').description('list, examine and resolve orders; place them as a reseller');
  order.commandsGroup('As the operator:');
  addOrderCommands(order, deps);
  order.commandsGroup('As a reseller:');
  addPurchaseCommands(order, deps);
  addNicknameCommand(program, deps);
  addReviewCommands(program, deps);

  program.commandsGroup('Events:');
  addListenCommand(program, deps);

  return configured(program, deps);
}

/** Runs one command line and answers its exit code. Only bugs are thrown. */
export async function run(argv: string[], deps: ProgramDeps): Promise<number> {
  try {
    await createProgram(deps).parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed what it had to say already: the help, or what is wrong with the arguments.
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof CommandError)) throw error;
    const paint = createPaint(deps.stderr, deps.env);
    const message = error.message.split('\n').map(withoutControls).join('\n');
    deps.stderr.write(`${paint('bad', 'error:')} ${message}\n`);
    return 1;
  }
}

/** Output and exits belong to the caller, in every command alike. */
function configured(command: Command, streams: Pick<ProgramDeps, 'stdout' | 'stderr'>): Command {
  command
    .exitOverride()
    .showHelpAfterError('(add --help for what the command takes)')
    .configureOutput({ writeOut: (text) => streams.stdout.write(text), writeErr: (text) => streams.stderr.write(text) });
  for (const child of command.commands) configured(child, streams);
  return command;
}
