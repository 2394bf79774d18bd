import type { Command } from 'commander';
import { examples } from '../arguments.ts';
import { CommandError } from '../errors.ts';
import { count } from '../format.ts';
import type { ProgramDeps, SchemaState } from '../installation.ts';
import { createOutput } from '../output.ts';

interface MigrateOptions {
  status?: boolean;
  json?: boolean;
}

/** `topgate migrate`: brings the database's schema up to this program's. */
export function addMigrateCommand(program: Command, deps: ProgramDeps): void {
  program
    .command('migrate')
    .description('apply the migrations the database lacks')
    .option('--status', 'only tell what is missing')
    .option('--json', 'print the data as JSON and nothing else')
    .addHelpText(
      'after',
      `${examples('migrate --status', 'migrate')}\n\nBack up the database first. Stop the service when it uses the embedded engine.`,
    )
    .action((options: MigrateOptions) => (options.status ? tellState(deps, options) : apply(deps, options)));
}

async function apply(deps: ProgramDeps, options: MigrateOptions): Promise<void> {
  const output = createOutput(deps, options.json === true);
  const applied = await deps.installation.migrate();
  output.result({ applied }, () =>
    applied.length === 0
      ? 'Nothing to do: the database has every migration.'
      : [`${count(applied.length, 'migration')} applied:`, ...applied.map((name) => `  ${name}`)].join('\n'),
  );
}

async function tellState(deps: ProgramDeps, options: MigrateOptions): Promise<void> {
  const output = createOutput(deps, options.json === true);
  const { schema } = await deps.installation.inspectDatabase();
  output.result(schema, () => describeSchema(schema));
  if (schema.kind === 'ahead' || schema.kind === 'changed') throw new CommandError('Topgate will not start on this database.');
}

/** The state of the schema in a sentence. */
export function describeSchema(schema: SchemaState): string {
  switch (schema.kind) {
    case 'current':
      return 'The database has every migration.';
    case 'behind':
      return `The database lacks ${count(schema.pending.length, 'migration')}: ${schema.pending.join(', ')}.`;
    case 'ahead':
      return `The database has schema version ${schema.version}, made by a newer Topgate.`;
    case 'changed':
      return `The migration ${schema.name} differs from the one that was applied.`;
  }
}
