import type { Command } from 'commander';
import type { AuditReport } from '../answers.ts';
import { examples } from '../arguments.ts';
import { CommandError } from '../errors.ts';
import { count } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { type Paint, withoutControls } from '../table.ts';

const SHOWN_VIOLATIONS = 20;

/** `topgate audit`: recomputes every invariant of the ledger from its rows. */
export function addAuditCommand(program: Command, deps: ProgramDeps): void {
  withAdminOptions(program.command('audit').description('recompute every invariant of the ledger from its rows'))
    .addHelpText('after', `${examples('audit', 'audit --json')}\n\nThe exit code is 1 when an invariant is broken.`)
    .action((options: AdminOptions) => audit(deps, options));
}

async function audit(deps: ProgramDeps, options: AdminOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const { data } = await client.get<AuditReport>('/admin/api/ledger/audit');
  output.result(data, () => renderAudit(data, output.paint));
  const broken = data.checks.filter(({ ok }) => !ok).length;
  if (!data.ok)
    throw new CommandError(
      `${count(broken, 'check')} of the ledger failed. Stop taking orders (topgate maintenance on) until you know why.`,
    );
}

/** Check by check, each broken one with the rows that break it. */
export function renderAudit(report: AuditReport, paint: Paint): string {
  const lines = report.checks.flatMap(({ name, ok, checked, violations }) => {
    const mark = ok ? paint('good', '✓') : paint('bad', '✗');
    const shown = violations.slice(0, SHOWN_VIOLATIONS).map((violation) => `      ${paint('bad', withoutControls(violation))}`);
    const more = violations.length > SHOWN_VIOLATIONS ? [`      … and ${violations.length - SHOWN_VIOLATIONS} more`] : [];
    return [`  ${mark} ${name} ${paint('quiet', `(${checked} checked)`)}`, ...shown, ...more];
  });
  return joinBlocks(lines.join('\n'), report.ok ? paint('good', 'Every invariant holds.') : null);
}
