import type { Command } from 'commander';
import { examples } from '../arguments.ts';
import type { ProgramDeps } from '../installation.ts';

/** `topgate serve`: the service itself. */
export function addServeCommand(program: Command, deps: ProgramDeps): void {
  program
    .command('serve')
    .description('run the service until it is told to stop')
    .addHelpText('after', `${examples('serve')}\n\nThe settings come from environment variables; .env.example lists them.`)
    .action(() => deps.installation.serve());
}
