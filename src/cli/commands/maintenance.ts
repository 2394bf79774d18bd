import type { Command } from 'commander';
import type { Maintenance } from '../answers.ts';
import { examples } from '../arguments.ts';
import type { ProgramDeps } from '../installation.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';

const PATH = '/admin/api/maintenance';

/** `topgate maintenance …`: closes and opens the resellers' interface. */
export function addMaintenanceCommands(program: Command, deps: ProgramDeps): void {
  const maintenance = program.command('maintenance').description("close and open the resellers' interface");

  withAdminOptions(maintenance.command('on').description('refuse resellers for now; orders in process go on'))
    .option('--message <text>', 'what resellers are told')
    .addHelpText('after', examples('maintenance on --message "Back at 03:00 WIB."'))
    .action((options: AdminOptions & { message?: string }) => {
      const { message } = options;
      return set(deps, options, { enabled: true, ...(message !== undefined && { message }) });
    });

  withAdminOptions(maintenance.command('off').description('let resellers in again'))
    .addHelpText('after', examples('maintenance off'))
    .action((options: AdminOptions) => set(deps, options, { enabled: false }));

  withAdminOptions(maintenance.command('show').description('whether resellers are let in'))
    .addHelpText('after', examples('maintenance show'))
    .action(async (options: AdminOptions) => {
      const { client, output } = openAdminSession(deps, options);
      const { data } = await client.get<Maintenance>(PATH);
      output.result(data, () => describe(data));
    });
}

async function set(deps: ProgramDeps, options: AdminOptions, body: { enabled: boolean; message?: string }): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const { data } = await client.send<Maintenance>('PUT', PATH, body);
  output.result(data, () => describe(data));
}

function describe({ enabled, message }: Maintenance): string {
  return enabled ? `The reseller interface is closed. Resellers are told: ${message}` : 'The reseller interface is open.';
}
