import type { Command } from 'commander';
import type { AuditEntry } from '../answers.ts';
import { examples, noteMore, type PageOptions, withPageOptions } from '../arguments.ts';
import { shortTime } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { type Paint, renderTable } from '../table.ts';

interface LogOptions extends AdminOptions, PageOptions {
  subject?: string;
  actor?: string;
  action?: string;
  from?: string;
  to?: string;
}

const MAX_SHOWN = 200;

/** `topgate audit-log`: who did what, and when. */
export function addAuditLogCommand(program: Command, deps: ProgramDeps): void {
  withPageOptions(withAdminOptions(program.command('audit-log').description('what operators did, newest first')))
    .option('--subject <name>', 'what was done to this: a code, TG…, rs_…')
    .option('--actor <name>', 'what this operator did; service: what the service did by itself')
    .option('--action <action>', 'this action, e.g. order.resolve, or all of one kind, e.g. order')
    .option('--from <time>', 'from this time on, e.g. 2026-03-01T00:00:00+07:00')
    .option('--to <time>', 'before this time')
    .addHelpText(
      'after',
      examples('audit-log', 'audit-log --subject main', 'audit-log --action route.set --from 2026-03-01T00:00:00+07:00'),
    )
    .action(async ({ subject, actor, action, from, to, limit, cursor, ...options }: LogOptions) => {
      const { client, output } = openAdminSession(deps, options);
      const query = { subject, actor, action, from, to, limit, cursor };
      const { data, nextCursor } = await client.get<AuditEntry[]>('/admin/api/audit', query);
      output.result(data, () => (data.length === 0 ? 'No entry matches.' : renderActions(data, output.paint)));
      noteMore(output, nextCursor);
    });
}

/** Entries of the audit log, each on a line. */
export function renderActions(entries: AuditEntry[], paint: Paint): string {
  return renderTable(
    [{ title: 'When' }, { title: 'Who' }, { title: 'Did' }, { title: 'To' }, { title: 'What it was' }],
    entries.map(({ time, actor, action, subject, details }) => [shortTime(time), actor, action, subject, tell(details)]),
    paint,
  );
}

/** `price: 10000 → 11000`: what changed, and whatever else was written down. */
function tell({ before, after, ...rest }: AuditEntry['details']): string {
  const isChange = isRecord(before) && isRecord(after);
  const changes = isChange ? Object.keys(after).map((key) => `${key}: ${toText(before[key])} → ${toText(after[key])}`) : [];
  const others = { ...rest, ...(!isChange && before !== undefined && { before, after }) };
  const facts = Object.entries(others).flatMap(([key, value]) => (isEmpty(value) ? [] : [`${key}: ${toText(value)}`]));
  return shorten([...changes, ...facts].join('; '));
}

/** An import may name hundreds of services; `--json` has them all. */
function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function toText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
