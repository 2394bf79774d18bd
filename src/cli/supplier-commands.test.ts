import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../../test/support/command-line.ts';
import { stockedSupplier } from '../../test/support/stocked-supplier.ts';
import { NO_INPUT } from '../../test/support/text-input.ts';
import type { TextInput } from './index.ts';

const supplier = stockedSupplier();
const { topgateCommand, json, folder, baseUrl } = commandLine({ supplierKinds: [supplier.kind] });

test('a supplier is added with its secret from a file, the input or the terminal, and shown without it', async () => {
  const keyFile = path.join(folder(), 'supplier.key');
  fs.writeFileSync(keyFile, 'key-from-a-file\n');
  const add = ['supplier', 'add', 'acme', '--kind', 'stocked', '--set', 'base_url=https://supplier.example'];
  const missing = await topgateCommand(add);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('--set api_key=@file') });
  const added = await topgateCommand([...add, '--set', `api_key=@${keyFile}`]);
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The supplier acme is added\.\nHave it report to http/),
    stderr: '',
  });
  expect(supplier.setups.at(-1)?.config['api_key']).toBe('key-from-a-file');

  const fromInput = await topgateCommand(
    ['supplier', 'set', 'acme', '--set', 'api_key=-', '--set', 'warn_balance=2000000'],
    {},
    { ...NO_INPUT, readAll: async () => 'key-from-the-input\n' },
  );
  expect(fromInput.code).toBe(0);
  expect(supplier.setups.at(-1)?.config['api_key']).toBe('key-from-the-input');

  const asked: string[] = [];
  const terminal: TextInput = {
    ...NO_INPUT,
    isTerminal: true,
    async askSecretly(prompt) {
      asked.push(prompt);
      return 'key-from-a-person';
    },
  };
  await topgateCommand(add.with(2, 'second'), {}, terminal);
  expect(asked).toEqual(['API key: ']);
  expect(supplier.setups.at(-1)?.config['api_key']).toBe('key-from-a-person');

  const careless = await topgateCommand(['supplier', 'set', 'acme', '--set', 'api_key=on-the-line']);
  expect(careless).toMatchObject({ code: 0, stderr: expect.stringContaining('where others can see it') });

  expect((await topgateCommand(['supplier', 'test', 'acme'])).stdout).toBe('The supplier told our balance. It is Rp1.000.000.\n');
  const shown = (await topgateCommand(['supplier', 'show', 'acme'])).stdout;
  expect(shown).toMatch(/Our balance +Rp1\.000\.000/);
  expect(shown).toContain('below the warning of 2000000');
  expect(shown).not.toContain('on-the-line');
  expect((await topgateCommand(['supplier', 'kinds', 'stocked'])).stdout).toMatch(/api_key +yes +API key \(secret\)/);
  const digiflazz = (await topgateCommand(['supplier', 'kinds', 'digiflazz'])).stdout;
  expect(digiflazz).toMatch(/base_url +https:\/\/api\.digiflazz\.com\/v1 +Base URL/);
  expect(digiflazz).toContain('Username · Atur Koneksi > API');
  expect(digiflazz).toMatch(/Can +be asked about a lost order[\s\S]*Mind +a question may buy/);
  expect((await topgateCommand(['supplier', 'kinds'])).stdout).toMatch(/unipin +UniPin \(in-game top-up\) +be asked about/);
  expect(await topgateCommand(['supplier', 'kinds', 'nobody'])).toMatchObject({ code: 1 });
});

test('a price list is compared, applied, and left to the schedule', async () => {
  await topgateCommand(['route', 'set', 'MLBB-12', 'acme:ML12:3400', '--once-per-day', 'ML12', '--cut-off', 'ML12=23:30-00:30']);
  expect((await topgateCommand(['route', 'show', 'MLBB-12'])).stdout).toContain('once a day, not from 23:30 to 00:30');
  supplier.onList = async () => [{ sku: 'ML12', name: 'Diamonds 12', cost: 3_500n, available: true }];
  const compared = await topgateCommand(['supplier', 'sync', 'acme']);
  expect(compared.stdout).toMatch(/Other costs\n +MLBB-12 +ML12 +Rp3\.400 → Rp3\.500/);
  expect(compared.stdout).toContain('--apply does it');
  const applied = await topgateCommand(['supplier', 'sync', 'acme', '--apply', '--rule', 'prices']);
  expect(applied.stdout).toContain('Applied.');
  expect((await topgateCommand(['supplier', 'sync', 'acme', '--schedule', 'costs'])).stdout).toContain('is costs');
  expect((await topgateCommand(['supplier', 'sync', 'acme', '--last'])).stdout).toMatch(/Schedule +costs[\s\S]*Other costs/);
  expect(await topgateCommand(['supplier', 'sync', 'acme'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Try again after'),
  });
});

test('items of a price list are found by words, and a route to none of them is warned of', async () => {
  const found = await topgateCommand(['supplier', 'items', 'acme', 'DIAMONDS', '12']);
  expect(found.stdout).toMatch(/ML12 +Diamonds 12 +Rp3\.500 +yes +MLBB-12/);
  expect((await topgateCommand(['supplier', 'items', 'acme', 'diamonds', '13'])).stdout).toContain('No such item');
  const typo = await topgateCommand(['route', 'set', 'MLBB-12', 'acme:ML13:3500', 'acme:ML12:3400']);
  expect(typo).toMatchObject({ code: 0, stdout: expect.stringMatching(/The price list of acme, read .+, has no item ML13\./) });
  expect(typo.stdout).toContain('has ML12 at 3500, the route at 3400.');
  const right = await topgateCommand(['route', 'set', 'MLBB-12', 'acme:ML12:3500']);
  expect(right.stdout).not.toContain('price list');
});

test('routes are preferred by cost or score, for a service or for all', async () => {
  const preferred = await topgateCommand(['route', 'prefer', 'MLBB-12', '--by', 'best', '--floor', '50']);
  expect(preferred.stdout).toMatch(/Preference +best[\s\S]*Rp50[\s\S]*acme +ML12 +Rp3\.500 +open/);
  expect((await json(['route', 'prefer', 'all', '--by', 'cheapest'])).preference).toBe('cheapest');
  expect(await json(['route', 'prefer', 'MLBB-12', '--below-cost'])).toMatchObject({
    preference: 'best',
    sells_below_cost: true,
  });
  expect((await json(['route', 'prefer', 'MLBB-12', '--as-all'])).in_force).toMatchObject({
    preference: 'cheapest',
    margin_floor: 0,
  });
  await json(['route', 'prefer', 'all', '--by', 'fixed']);
  const stray = await topgateCommand(['route', 'set', 'MLBB-12', 'acme:ML12:3400', '--once-per-day', 'ML13']);
  expect(stray).toMatchObject({ code: 1, stderr: expect.stringContaining('No route has the item ML13.') });
});

test('suppliers are paused and resumed, routes set and shown', async () => {
  expect((await topgateCommand(['supplier', 'pause', 'sandbox-2'])).stdout).toBe('The supplier sandbox-2 is paused.\n');
  expect((await topgateCommand(['supplier', 'list'])).stdout).toMatch(/sandbox-2 +sandbox +Paused/);
  expect((await topgateCommand(['supplier', 'resume', 'sandbox-2'])).code).toBe(0);
  await topgateCommand(['route', 'set', 'MLBB-5', 'sandbox:a:1400', 'sandbox-2:b:1450:{user_id}|{zone}']);
  expect((await topgateCommand(['route', 'show', 'MLBB-5'])).stdout).toMatch(/2 +sandbox-2 +b +Rp1\.450 +\{user_id\}\|\{zone\}/);
  // An item with colons and numbers in it: the cost comes after.
  await topgateCommand(['route', 'set', 'MLBB-5', 'sandbox:15145:215570:20160:{user_id}:{zone}']);
  const [route] = await json(['route', 'show', 'MLBB-5']);
  expect(route).toMatchObject({ sku: '15145:215570', cost: 20_160, account_template: '{user_id}:{zone}' });
  await topgateCommand(['route', 'set', 'MLBB-5']);
  expect((await topgateCommand(['route', 'show', 'MLBB-5'])).stdout).toContain('No routes');
});

test('what was changed is read from the audit log, and what an item cost from the price lists', async () => {
  const log = await topgateCommand(['audit-log', '--action', 'supplier.configure', '--subject', 'acme']);
  expect(log.stdout).toMatch(/admin +supplier\.configure +acme +warn_balance: none → 2000000; secrets: \["api_key"\]/);
  expect((await topgateCommand(['audit-log', '--subject', 'nothing'])).stdout).toBe('No entry matches.\n');
  const page = await topgateCommand(['audit-log', '--limit', '1']);
  expect(page.stderr).toContain('--cursor');
  expect((await topgateCommand(['supplier', 'prices', 'acme', 'ML12'])).stdout).toMatch(/Rp3\.500/);
  expect((await topgateCommand(['supplier', 'prices', 'acme', 'ML13'])).stdout).toContain('No price list');
});

test('what suppliers told unasked is listed and worked off again', async () => {
  supplier.onCallback = () => ({ kind: 'hint', reference: 'TG-NOBODY-1', supplierReference: null, status: 'Sukses' });
  const { callback_url } = await json(['supplier', 'show', 'acme']);
  await fetch(`${baseUrl()}${new URL(callback_url).pathname}`, { method: 'POST', body: '{"status":"Sukses"}' });
  const listed = await topgateCommand(['callback', 'list', '--supplier', 'acme']);
  expect(listed.stdout).toMatch(/acme +hint +\w+ +Sukses/);
  const [{ callback_id }] = await json(['callback', 'list']);
  expect((await topgateCommand(['callback', 'retry', callback_id])).stdout).toBe('The message is worked off again.\n');
  expect(await topgateCommand(['callback', 'retry', 'cb_00000000000000000000000000'])).toMatchObject({ code: 1 });
  expect((await topgateCommand(['callback', 'list', '--reading', 'forged'])).stdout).toBe('No message matches.\n');
});

test('routes of many services are imported from a file, all or nothing, and written to one', async () => {
  const file = path.join(folder(), 'routes.csv');
  const write = (...rows: string[]) =>
    fs.writeFileSync(file, `\ufeffservice_code,supplier,sku,cost,cut_off\n${rows.join('\n')}\n`);
  write('MLBB-12,acme,ML12,3500,', 'MLBB-28,acme,ML28,7400,23:30-00:30', 'MLBB-28,sandbox,b,7500,');
  const dry = await topgateCommand(['route', 'import', file, '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was changed') });
  expect(dry.stdout).toMatch(/line 3: The price list of acme, read .+, has no item ML28\./);
  expect((await topgateCommand(['route', 'show', 'MLBB-28'])).stdout).toContain('No routes');

  const imported = await json(['route', 'import', file]);
  expect(imported).toMatchObject({ dry_run: false, routes: 3, new_services: ['MLBB-28'], unchanged_services: 1 });
  expect(await json(['route', 'show', 'MLBB-28'])).toMatchObject([
    { supplier: 'acme', sku: 'ML28', cut_off: { start: '23:30', end: '00:30' } },
    { supplier: 'sandbox', sku: 'b', cost: 7_500 },
  ]);

  write('MLBB-28,sandbox,b,1,', 'NO-SUCH,acme,ML12,1,', 'MLBB-12,nobody,x,1,');
  const refused = await topgateCommand(['route', 'import', file]);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/line 3.*no service NO-SUCH[\s\S]*line 4.*no supplier nobody/),
  });
  expect((await json(['route', 'show', 'MLBB-28']))[1]).toMatchObject({ cost: 7_500 });

  fs.writeFileSync(file, 'service_code,supplier,sku,cost,account_template\nMLBB-28,acme,ML28,7400,{user_id}\n');
  const misread = await topgateCommand(['route', 'import', file]);
  expect(misread).toMatchObject({ code: 1, stderr: expect.stringMatching(/line 2.*without \{zone\}/) });

  expect((await topgateCommand(['route', 'export', file])).stdout).toBe(`3 routes written to ${file}.\n`);
  expect(await json(['route', 'import', file])).toMatchObject({ new_services: [], changed_services: [], unchanged_services: 2 });
  expect((await topgateCommand(['audit-log', '--subject', 'MLBB-28'])).stdout).toMatch(/admin +route\.set +MLBB-28/);
});
