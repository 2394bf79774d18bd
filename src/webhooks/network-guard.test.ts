import { expect, test } from 'vitest';
import { refuseUrl } from './endpoint-url.ts';
import { ADDRESS_NOT_ALLOWED, createNetworkGuard } from './network-guard.ts';

const strict = createNetworkGuard([]);

test.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:127.0.0.1',
  '64:ff9b::a00:1',
  '100::1',
  '2001:db8::1',
  '2002:a00:1::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'ff02::1',
  'not an address',
])('%s is not in the public internet', (address) => {
  expect(strict.isAllowed(address)).toBe(false);
});

test.each(['1.1.1.1', '8.8.8.8', '93.184.215.14', '172.15.0.1', '172.32.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])(
  '%s is',
  (address) => {
    expect(strict.isAllowed(address)).toBe(true);
  },
);

test('an operator can name blocks that are reached all the same, and only those', () => {
  const guard = createNetworkGuard(['10.20.0.0/16', '::1/128']);
  expect(['10.20.3.4', '::1', '10.21.0.1', '127.0.0.1'].map(guard.isAllowed)).toEqual([true, true, false, false]);
});

function look(guard: typeof strict, name: string): Promise<{ error: string | undefined; addresses: unknown }> {
  return new Promise((resolve) => {
    guard.lookup(name, { all: true }, (error, addresses) => resolve({ error: error?.code, addresses }));
  });
}

test('a name is refused by what it resolves to', async () => {
  expect(await look(strict, 'localhost')).toMatchObject({ error: ADDRESS_NOT_ALLOWED });
  const loopback = createNetworkGuard(['127.0.0.0/8', '::1/128']);
  expect((await look(loopback, 'localhost')).addresses).toContainEqual({ address: '127.0.0.1', family: 4 });
  // One forbidden address is enough, however many good ones stand beside it.
  expect(await look(createNetworkGuard(['127.0.0.0/8']), 'localhost')).toMatchObject({ error: ADDRESS_NOT_ALLOWED });
});

const production = { guard: strict, allowHttp: false };
const development = { guard: createNetworkGuard(['127.0.0.0/8', '::1/128']), allowHttp: true };

test.each([
  ['https://shop.example/hook', null],
  ['https://shop.example:8443/hook?key=1', null],
  ['https://8.8.8.8/hook', null],
  ['http://shop.example/hook', 'https://'],
  ['ftp://shop.example/hook', 'https://'],
  ['shop.example/hook', 'whole URL'],
  ['', 'whole URL'],
  ['https://user:secret@shop.example/', 'user name'],
  ['https://user@shop.example/', 'user name'],
  ['https://127.0.0.1/hook', 'not a public address'],
  ['https://[::1]/hook', 'not a public address'],
  ['https://[::ffff:7f00:1]/hook', 'not a public address'],
  ['https://2130706433/hook', 'not a public address'],
  ['https://0x7f.1/hook', 'not a public address'],
  ['https://169.254.169.254/latest/meta-data', 'not a public address'],
])('in production %s: %s', (url, refusal) => {
  const said = refuseUrl(url, production);
  if (refusal === null) expect(said).toBeNull();
  else expect(said).toContain(refusal);
});

test('in development http and the machine itself are good, other inside addresses are not', () => {
  expect(refuseUrl('http://127.0.0.1:4000/hook', development)).toBeNull();
  expect(refuseUrl('http://localhost:4000/hook', development)).toBeNull();
  expect(refuseUrl('http://192.168.1.1/hook', development)).toContain('not a public address');
});
