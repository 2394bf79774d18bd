import { newSecretText } from '../lib/ids.ts';
import { sign } from '../resellers/index.ts';
import type { Config } from './config.ts';
import type { Demo } from './demo.ts';

export interface BannerContext {
  config: Config;
  /** Where the service listens, e.g. `http://127.0.0.1:3000`. */
  address: string;
  engine: 'embedded' | 'postgres';
  demo: Demo | null;
}

const DEMO_ORDER = { serviceCode: 'MLBB-85', userId: '123450001', zone: '2001', maxPrice: null };

/** What a person needs after the start. In production only the address: secrets are never printed there. */
export function printBanner(context: BannerContext): void {
  if (context.config.env === 'production') return;
  process.stdout.write(`${renderBanner(context)}\n`);
}

export function renderBanner({ config, address, engine, demo }: BannerContext): string {
  const database = engine === 'embedded' ? `embedded PostgreSQL in ${config.dataDir}` : 'PostgreSQL (DATABASE_URL)';
  const lines = [
    '',
    `  Topgate is running: ${address}`,
    '',
    `  API docs       ${address}/docs`,
    `  OpenAPI        ${address}/openapi.json`,
    `  Health         ${address}/health/ready`,
    `  Database       ${database}`,
    `  Admin token    ${config.adminToken}`,
  ];
  if (demo) lines.push(...renderDemo(address, demo));
  return [...lines, '', '  Stop with Ctrl+C. Everything acknowledged is on disk.', ''].join('\n');
}

function renderDemo(address: string, demo: Demo): string[] {
  const refId = `DEMO-${newSecretText(6)}`;
  const signature = sign({ ...DEMO_ORDER, refId }, demo.signingSecret);
  const body = JSON.stringify({
    service_code: DEMO_ORDER.serviceCode,
    ref_id: refId,
    account_identifier: { user_id: DEMO_ORDER.userId, zone: DEMO_ORDER.zone },
    signature,
  });
  const authorization = `-H 'Authorization: Bearer ${demo.accessToken}'`;
  return [
    '',
    '  A demo reseller is ready, in test mode: its orders move a test balance and reach no real game.',
    `  Access token   ${demo.accessToken}`,
    `  Signing secret ${demo.signingSecret}`,
    '',
    '  Place an order (signed; paste it as it is):',
    '',
    `curl -s ${address}/api/order \\`,
    `  ${authorization} \\`,
    "  -H 'Content-Type: application/json' -H 'Accept: application/json' \\",
    `  -d '${body}'`,
    '',
    '  See it delivered:',
    '',
    `curl -s '${address}/api/order/status?ref_id=${refId}' \\`,
    `  ${authorization}`,
  ];
}
