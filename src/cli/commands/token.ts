import type { Command } from 'commander';
import type { Credential, IssuedCredential, Mode } from '../answers.ts';
import { examples, parseMode } from '../arguments.ts';
import { fullTime, shortTime, statusCell } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { renderDetails, renderTable } from '../table.ts';
import { findReseller } from './find-reseller.ts';

interface AddOptions extends AdminOptions {
  mode: Mode;
  readOnly?: boolean;
  expires?: string;
  allowIp?: string[];
}

const COLUMNS = [
  { title: 'Credential' },
  { title: 'Token' },
  { title: 'Mode' },
  { title: 'Status' },
  { title: 'Scopes' },
  { title: 'Allowed from' },
  { title: 'Expires' },
  { title: 'Issued' },
];

/** `topgate token …`: access tokens with their signing secrets. */
export function addTokenCommands(program: Command, deps: ProgramDeps): void {
  const token = program.command('token').description('issue, list and revoke access tokens');

  withAdminOptions(token.command('add').description('issue an access token and its signing secret, shown once'))
    .argument('<reseller>', 'username or rs_…')
    .requiredOption('--mode <mode>', 'live or test', parseMode)
    .option('--read-only', 'the token may look, but not order')
    .option('--expires <time>', 'when it ends, e.g. 2027-01-01T00:00:00+07:00 (default: never)')
    .option('--allow-ip <address...>', 'addresses or CIDR blocks it may be used from (default: anywhere)')
    .addHelpText(
      'after',
      examples('token add kios-ayu --mode test', 'token add kios-ayu --mode live --allow-ip 203.0.113.7 198.51.100.0/24'),
    )
    .action((reseller: string, options: AddOptions) => add(deps, reseller, options));

  withAdminOptions(token.command('list').description('list the tokens of a reseller'))
    .argument('<reseller>', 'username or rs_…')
    .addHelpText('after', examples('token list kios-ayu'))
    .action((reseller: string, options: AdminOptions) => list(deps, reseller, options));

  withAdminOptions(token.command('revoke').description('revoke a token; it stops working within a second'))
    .argument('<reseller>', 'username or rs_…')
    .argument('<credential>', 'cr_…')
    .addHelpText('after', examples('token revoke kios-ayu cr_01KAH5ZC5T7E0A3V9Q2M8N4RBX'))
    .action((reseller: string, credential: string, options: AdminOptions) => revoke(deps, reseller, credential, options));
}

async function add(deps: ProgramDeps, name: string, options: AddOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const reseller = await findReseller(client, name);
  const { data } = await client.send<IssuedCredential>('POST', `/admin/api/reseller/${reseller.reseller_id}/credential`, {
    mode: options.mode,
    ...(options.readOnly && { scopes: ['read'] }),
    ...(options.expires !== undefined && { expires_at: options.expires }),
    ...(options.allowIp !== undefined && { allowed_ips: options.allowIp }),
  });
  output.result(data, () =>
    joinBlocks(
      `A ${data.mode} token for ${reseller.name}.`,
      renderDetails(
        [
          ['Access token', { text: data.access_token, tone: 'strong' }],
          ['Signing secret', { text: data.signing_secret, tone: 'strong' }],
          ['Credential', data.credential_id],
          ['Scopes', data.scopes.join(', ')],
          ['Allowed from', data.allowed_ips.join(', ') || 'anywhere'],
          ['Expires', fullTime(data.expires_at) ?? 'never'],
        ],
        output.paint,
      ),
      'Token and secret are shown this once. Hand them over safely; a lost one is replaced by a new token.',
    ),
  );
}

async function list(deps: ProgramDeps, name: string, options: AdminOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const reseller = await findReseller(client, name);
  const { data } = await client.get<Credential[]>(`/admin/api/reseller/${reseller.reseller_id}/credential`);
  output.result(data, () => {
    if (data.length === 0) return `${reseller.name} has no tokens yet. Issue one: topgate token add ${reseller.username}`;
    return renderTable(
      COLUMNS,
      data.map((credential) => [
        credential.credential_id,
        `…${credential.token_hint}`,
        credential.mode,
        statusCell(credential.status),
        credential.scopes.join(', '),
        credential.allowed_ips.join(', ') || 'anywhere',
        credential.expires_at === null ? 'never' : shortTime(credential.expires_at),
        shortTime(credential.created_at),
      ]),
      output.paint,
    );
  });
}

async function revoke(deps: ProgramDeps, name: string, credential: string, options: AdminOptions): Promise<void> {
  const { client, output } = openAdminSession(deps, options);
  const reseller = await findReseller(client, name);
  const path = `/admin/api/reseller/${reseller.reseller_id}/credential/${encodeURIComponent(credential)}`;
  const { data } = await client.send<Credential>('DELETE', path);
  output.result(data, () => `The ${data.mode} token …${data.token_hint} of ${reseller.name} is revoked.`);
}
