import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandLine } from '../../test/support/command-line.ts';
import { freePort } from '../../test/support/postgres-server.ts';
import { systemClock } from '../lib/clock.ts';
import { fromPublicId } from '../lib/ids.ts';

const CATALOGUE = path.join(import.meta.dirname, '../../catalogue/catalogue.csv');

const { topgateCommand, json, newReseller, folder, db } = commandLine();

describe('as the operator', () => {
  test('a reseller is registered, paid in for and listed, named by username alone', async () => {
    const added = await topgateCommand(['reseller', 'add', 'kios-ayu', '--name', 'Kios Ayu']);
    expect(added.code).toBe(0);
    expect(added.stdout).toContain('Kios Ayu is registered.');

    const deposit = await topgateCommand(['deposit', 'kios-ayu', '1250000', '--mode', 'live', '--reference', 'BCA 77431']);
    expect(deposit.stdout).toMatch(/Deposit credited\.[\s\S]*\+Rp1\.250\.000/);
    const repeated = await topgateCommand(['deposit', 'kios-ayu', '1250000', '--mode', 'live', '--reference', 'BCA 77431']);
    expect(repeated.stdout).toContain('This deposit was credited before.');
    const adjusted = await topgateCommand(['adjust', 'kios-ayu', '-250000', '--mode', 'live', '--reason', 'counted twice']);
    expect(adjusted.stdout).toMatch(/-Rp250\.000[\s\S]*Rp1\.000\.000/);

    const list = await topgateCommand(['reseller', 'list', '--search', 'ayu']);
    expect(list.stdout).toMatch(/^Username +Name +Tier +Status +Live balance/);
    expect(list.stdout).toMatch(/kios-ayu +Kios Ayu +standard +Active +Rp1\.000\.000 +Rp0/);
  });

  test('a username that is only part of another does not name it', async () => {
    await json(['reseller', 'add', 'warung-besar']);
    const answer = await topgateCommand(['reseller', 'suspend', 'warung']);
    expect(answer).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no reseller "warung"') });
  });

  test('a suspended reseller is refused until reinstated', async () => {
    const env = await newReseller('suspendable');
    expect((await topgateCommand(['reseller', 'suspend', 'suspendable'])).stdout).toContain('is suspended.');
    const refused = await topgateCommand(['order', 'place', 'MLBB-85', '123450001', '2001'], env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('account_suspended') });
    expect((await topgateCommand(['reseller', 'reinstate', 'suspendable'])).stdout).toContain('may order again.');
    expect((await topgateCommand(['order', 'place', 'MLBB-85', '123450001', '2001'], env)).code).toBe(0);
  });

  test('a token is shown once, listed by its end, and refused after it was revoked', async () => {
    await json(['reseller', 'add', 'token-owner']);
    const added = await topgateCommand(['token', 'add', 'token-owner', '--mode', 'test', '--read-only']);
    expect(added.stdout).toContain('shown this once');
    const token = /tg_test_\S+/.exec(added.stdout)?.[0] ?? '';
    const listed = await topgateCommand(['token', 'list', 'token-owner']);
    expect(listed.stdout).toContain(`…${token.slice(-4)}`);
    expect(listed.stdout).not.toContain(token);

    const [credential] = await json(['token', 'list', 'token-owner']);
    expect(credential.scopes).toEqual(['read']);
    expect((await topgateCommand(['token', 'revoke', 'token-owner', credential.credential_id])).stdout).toContain('is revoked.');
    const refused = await topgateCommand(['nickname', 'MLBB', '123450001', '2001'], { TOPGATE_TOKEN: token });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('unauthenticated') });
  });

  test('a dry run of an import tells every change and makes none', async () => {
    const file = path.join(folder(), 'changed.csv');
    const rows = fs.readFileSync(CATALOGUE, 'utf8').split('\n').slice(0, 40);
    fs.writeFileSync(file, rows.join('\n').replace(',1400,1500', ',1400,1300'));
    const dryRun = await topgateCommand(['catalog', 'import', file, '--dry-run']);
    expect(dryRun.stdout).toContain('Nothing was changed.');
    expect(dryRun.stdout).toMatch(/MLBB-5 +Rp1\.500 +Rp1\.300 +-Rp200/);
    expect(dryRun.stdout).toMatch(/Sold below cost\n +MLBB-5/);
    const again = await json(['catalog', 'import', file, '--dry-run']);
    expect(again.changed_services).toHaveLength(1);
  });

  test('an exported catalogue imports again without a change', async () => {
    const file = path.join(folder(), 'exported.csv');
    expect((await topgateCommand(['catalog', 'export', file])).stdout).toMatch(/39 services written to/);
    expect(await json(['catalog', 'import', file])).toMatchObject({
      new_services: [],
      changed_services: [],
      unchanged_services: 39,
    });
  });

  test('an audit names every invariant and succeeds while all hold', async () => {
    const { code, stdout } = await topgateCommand(['audit']);
    expect(code).toBe(0);
    expect(stdout).toContain('✓ no balance was ever negative');
    expect(stdout).toContain('Every invariant holds.');
  });

  test('during maintenance resellers are told why', async () => {
    const env = await newReseller('patient');
    await topgateCommand(['maintenance', 'on', '--message', 'Back at three.']);
    const refused = await topgateCommand(['order', 'place', 'MLBB-85', '123450001', '2001'], env);
    await topgateCommand(['maintenance', 'off']);
    expect(refused).toMatchObject({ code: 1, stderr: 'error: Back at three. (maintenance)\n' });
  });
});

describe('as a reseller', () => {
  test('an order is signed, placed, waited for, and found by its reference', async () => {
    const env = await newReseller('buyer');
    const place = ['order', 'place', 'MLBB-85', '123450001', '2001', '--ref-id', 'INV-7', '--max-price', '23600'];
    const placed = await topgateCommand([...place, '--wait'], env);
    expect(placed.stdout).toContain('The order is delivered.');
    expect(placed.stdout).toMatch(/Price +Rp23\.600/);

    const status = await json(['order', 'status', 'INV-7'], env);
    expect(status).toMatchObject({ ref_id: 'INV-7', status: 'Success', price: 23_600 });
    expect((await json(place, env)).order_id).toBe(status.order_id);
    expect(await json(['order', 'status', status.order_id], env)).toEqual(status);

    const shown = await topgateCommand(['order', 'show', 'INV-7']);
    expect(shown.stdout).toMatch(/Attempts\n.*Supplier[\s\S]*Delivered[\s\S]*Transfers[\s\S]*-Rp23\.600/);
    expect((await topgateCommand(['order', 'list', '--reseller', 'buyer'])).stdout).toMatch(
      /INV-7 +MLBB-85 .*Rp23\.600 +Success/,
    );
  });

  test('a reference that two resellers used is not guessed at', async () => {
    for (const username of ['first-user', 'second-user']) {
      const env = await newReseller(username);
      await json(['order', 'place', 'MLBB-85', '123450001', '2001', '--ref-id', 'SHARED'], env);
    }
    const answer = await topgateCommand(['order', 'show', 'SHARED']);
    expect(answer).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/2 orders have the ref_id "SHARED"[\s\S]*TG\w{26} +test/),
    });
  });

  test('a nickname is looked up', async () => {
    const env = await newReseller('looker');
    expect((await topgateCommand(['nickname', 'MLBB', '123450001', '2001'], env)).stdout).toContain('Sandbox 123450001');
  });

  test('the demo reseller of a development installation is used when no token is given', async () => {
    const { TOPGATE_TOKEN, TOPGATE_SECRET } = await newReseller('demo-like');
    const dataDir = fs.mkdtempSync(path.join(folder(), 'demo-'));
    fs.writeFileSync(
      path.join(dataDir, 'demo.json'),
      JSON.stringify({ accessToken: TOPGATE_TOKEN, signingSecret: TOPGATE_SECRET }),
    );
    expect((await topgateCommand(['order', 'place', 'MLBB-85', '123450001', '2001'], { DATA_DIR: dataDir })).code).toBe(0);
  });
});

describe('what operators look into', () => {
  test('an order in review is listed with what may be done, and every action asks for a reason', async () => {
    const env = await newReseller('reviewed');
    const { order_id } = await json(['order', 'place', 'MLBB-85', '123450009', '2001'], env);
    await db()
      .updateTable('orders')
      .set({ review_since: systemClock.now(), review_reason: 'no final answer' })
      .where('id', '=', fromPublicId('TG', order_id) ?? '')
      .execute();
    const { stdout } = await topgateCommand(['review', 'list']);
    expect(stdout).toMatch(new RegExp(`${order_id}.*no final answer.*recheck`));
    expect((await json(['review', 'list']))[0]).toMatchObject({ order: { order_id } });
    expect((await topgateCommand(['review', 'list', '--why'])).stdout).toMatch(
      new RegExp(`${order_id}\\n +refunded +An order that is`),
    );
    expect((await topgateCommand(['order', 'not-delivered', order_id])).stderr).toContain('--reason');
    const halfRoute = ['order', 'reroute', order_id, '--reason', 'x', '--supplier', 'main'];
    expect((await topgateCommand(halfRoute)).stderr).toContain('both --supplier and --sku');
    const refused = await topgateCommand(['order', 'reroute', order_id, '--reason', 'x']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('(conflict)') });
    await json(['order', 'resolve', order_id, 'success', '--reason', 'seen in the game']);
    expect((await topgateCommand(['review', 'list'])).stdout).toBe('No order waits for a decision.\n');
  });

  test('a day and a statement of a supplier are told in tables and in JSON', async () => {
    const env = await newReseller('reconciled');
    const placed = await json(['order', 'place', 'MLBB-85', '123450001', '2001', '--wait'], env);
    const day = await topgateCommand(['reconcile', 'sandbox']);
    expect(day).toMatchObject({ code: 0, stdout: expect.stringMatching(/at sandbox on \d{4}-\d\d-\d\d\./) });
    expect((await topgateCommand(['reconcile', 'sandbox', '2020-01-01'])).stdout).toContain('No purchase at sandbox');
    const { date } = await json(['reconcile', 'sandbox']);
    const file = path.join(folder(), 'statement.csv');
    fs.writeFileSync(file, `Nomor,status\n${placed.order_id}-1,Gagal\n`);
    const argv = ['reconcile-statement', 'sandbox', file, '--from', date];
    expect((await topgateCommand(argv)).stderr).toContain('No column names the purchases');
    const compared = await topgateCommand([...argv, '--column', 'reference=Nomor']);
    expect(compared.stdout).toMatch(/failed there delivered here +2 +TG\w{26}-1 +Gagal/);
    expect((await topgateCommand([...argv, '--column', 'Nomor'])).stderr).toContain('name=header');
  });
});

describe('when something is wrong', () => {
  test('nothing to list says so in words, and is an empty list in JSON', async () => {
    expect((await topgateCommand(['order', 'list', '--status', 'refunded'])).stdout).toBe('No order matches.\n');
    expect(await json(['order', 'list', '--status', 'refunded'])).toEqual([]);
    expect((await topgateCommand(['order', 'list', '--review'])).stdout).toBe('No order waits for a decision.\n');
  });

  test('a refusal is told with its code and its issues, on stderr alone', async () => {
    const env = await newReseller('mistaken');
    const answer = await topgateCommand(['order', 'place', 'MLBB-85', 'abc', '2001', '--json'], env);
    expect(answer).toMatchObject({ code: 1, stdout: '' });
    expect(answer.stderr).toMatch(/\(invalid_account_identifier\)\n {2}- account_identifier\.user_id: /);
  });

  test('a service that is not running is said to be so', async () => {
    const silent = await topgateCommand(['reseller', 'list'], { TOPGATE_URL: await refusingAddress() });
    expect(silent.code).toBe(1);
    expect(silent.stderr).toMatch(
      /^error: Topgate does not answer at http:\/\/127\.0\.0\.1:\d+: is it running\? \(npm start\)\n$/,
    );
  });

  test('a wrong admin token, and none at all, say which one is meant', async () => {
    expect((await topgateCommand(['audit'], { ADMIN_TOKEN: 'something-else' })).stderr).toContain('The admin token was refused.');
    const missing = await topgateCommand(['audit'], { ADMIN_TOKEN: undefined });
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('--admin-token') });
  });

  test('an amount with separators is refused before anything is sent', async () => {
    const answer = await topgateCommand(['deposit', 'x', '1.250', '--mode', 'live', '--reference', 'r']);
    expect(answer.code).toBe(1);
    expect(answer.stderr).toContain('without separators');
  });

  test('failures of this machine are messages without a stack', async () => {
    const served = await topgateCommand(['serve']);
    expect(served).toEqual({ code: 1, stdout: '', stderr: 'error: The data directory is in use.\n' });
    const examined = await topgateCommand(['doctor']);
    expect(examined.code).toBe(1);
    expect(examined.stdout).toMatch(/PROBLEM +Settings +Topgate cannot start/);
  });

  test('a longer list says how to go on, beside the data', async () => {
    await newReseller('one-more');
    const page = await topgateCommand(['reseller', 'list', '--limit', '1', '--json']);
    expect(JSON.parse(page.stdout)).toHaveLength(1);
    const cursor = /--cursor (\S+)/.exec(page.stderr)?.[1] ?? '';
    const next = await json(['reseller', 'list', '--limit', '200', '--cursor', cursor]);
    expect(next.map(({ username }: { username: string }) => username)).not.toContain('one-more');
  });
});

describe('help', () => {
  test('every command has examples', async () => {
    const commands = [
      'serve',
      'migrate',
      'doctor',
      'audit',
      'deposit',
      'adjust',
      'nickname',
      'order place',
      'route set',
      'token add',
    ];
    for (const command of commands) {
      const { code, stdout } = await topgateCommand([...command.split(' '), '--help']);
      expect({ command, code, hasExamples: stdout.includes(`$ topgate ${command}`) }).toEqual({
        command,
        code: 0,
        hasExamples: true,
      });
    }
  });
});

/** An address that was free a moment ago, so that nothing listens on it. */
async function refusingAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
