import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import http from 'node:http';
import http2 from 'node:http2';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { TLS_IDENTITY } from '../../test/support/tls-identity.ts';
import type { Wire, WireError } from '../suppliers/wire.ts';
import { createWire, MAX_LIST_BYTES } from './http-wire.ts';

let cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.reverse()) cleanUp();
  cleanUps = [];
});

async function serve(handle: http.RequestListener): Promise<string> {
  const server = http.createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Speaks HTTP/2 where it is offered, and refuses there what it has read. */
async function serveBothVersions(seen: string[]): Promise<string> {
  const server = http2.createSecureServer({ ...TLS_IDENTITY, allowHTTP1: true }, (request, response) => {
    seen.push(request.httpVersion);
    request.resume();
    if (request.url === '/break') request.socket.destroy();
    else if (request.httpVersion === '1.1') response.end('{"ok":true}');
    else request.stream.close(http2.constants.NGHTTP2_REFUSED_STREAM);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => server.close());
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

function trustOurselves(): void {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, TLS_IDENTITY.cert]);
  cleanUps.push(() => tls.setDefaultCACertificates(before));
}

/** A proxy that answers every wish for a tunnel with these bytes, or by breaking off. */
async function serveProxy(answer: string | null): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => (answer === null ? socket.destroy() : socket.end(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => server.close());
  return `http://user:word@127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serveTunnels(): Promise<string> {
  const server = http.createServer();
  server.on('connect', (request, socket) => {
    const [, port] = (request.url ?? '').split(':');
    const upstream = net.connect(Number(port), 'localhost', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on('error', () => undefined);
    cleanUps.push(() => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function open(proxyUrl: string | null = null): Wire {
  const wire = createWire({ proxyUrl, version: '1.2.3' });
  cleanUps.push(() => wire.close());
  return wire;
}

const signal = new AbortController().signal;
const failureOf = (sending: Promise<unknown>): Promise<WireError> =>
  sending.then(
    () => Promise.reject(new Error('it was answered')),
    (error: WireError) => error,
  );

test('what was signed is what leaves, byte by byte, and the answer comes whatever its status', async () => {
  const seen: { body: string; headers: http.IncomingHttpHeaders; url: string | undefined }[] = [];
  const url = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.push({ body: Buffer.concat(chunks).toString('utf8'), headers: request.headers, url: request.url });
    response.writeHead(503).end('{"rc":"62"}');
  });
  const body = '{ "a":1 , "b":"Késar"}';
  const answer = await open().send({ method: 'POST', url: `${url}/order?x=1`, headers: { 'x-sign': 's' }, body }, signal);
  expect(answer).toEqual({ status: 503, text: '{"rc":"62"}' });
  expect(seen).toMatchObject([{ body, url: '/order?x=1', headers: { 'x-sign': 's', 'user-agent': 'Topgate/1.2.3' } }]);
});

test('a redirect is not followed: it could carry a purchase to another place', async () => {
  let requests = 0;
  const url = await serve((_request, response) => {
    requests += 1;
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  expect(await open().send({ method: 'POST', url, body: '{}' }, signal)).toMatchObject({ status: 307 });
  expect(requests).toBe(1);
});

test('a connection that breaks in the middle may have brought the request over, and is not tried again', async () => {
  let requests = 0;
  const url = await serve((request) => {
    requests += 1;
    request.socket.destroy();
  });
  expect(await failureOf(open().send({ method: 'POST', url, body: '{}' }, signal))).toMatchObject({ neverLeft: false });
  expect(await failureOf(open().send({ method: 'GET', url }, signal))).toMatchObject({ neverLeft: false });
  expect(requests).toBe(2);
});

test('a connection that is refused, or a name that nobody has, let nothing out', async () => {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const request = { method: 'POST' as const, url: `http://127.0.0.1:${port}/order`, body: '{}' };
  expect(await failureOf(open().send(request, signal))).toMatchObject({ neverLeft: true });
  expect(await failureOf(open().send({ ...request, url: 'http://nobody.invalid/' }, signal))).toMatchObject({ neverLeft: true });
});

test('a failure of the network that comes after the request was sent leaves open whether it arrived', async () => {
  const sockets: net.Socket[] = [];
  const keep = (message: unknown) => sockets.push((message as { socket: net.Socket }).socket);
  subscribe('undici:client:connected', keep);
  cleanUps.push(() => unsubscribe('undici:client:connected', keep));
  const url = await serve(() => {
    for (const socket of sockets)
      socket.destroy(Object.assign(new Error('read ENETUNREACH'), { code: 'ENETUNREACH', syscall: 'read' }));
  });
  const failure = await failureOf(open().send({ method: 'POST', url, body: '{}' }, signal));
  expect(failure).toMatchObject({ neverLeft: false, message: expect.stringContaining('ENETUNREACH') });
});

test('a certificate that cannot be trusted lets nothing out, and is named', async () => {
  const seen: string[] = [];
  const url = await serveBothVersions(seen);
  const failure = await failureOf(open().send({ method: 'POST', url, body: '{}' }, signal));
  expect(failure).toMatchObject({ neverLeft: true, message: expect.stringContaining('self-signed certificate') });
  expect(seen).toEqual([]);
});

test('a purchase reaches a supplier that speaks HTTP/2 once: in HTTP/1.1, where nobody asks for it again', async () => {
  trustOurselves();
  const seen: string[] = [];
  const url = await serveBothVersions(seen);
  expect(await open().send({ method: 'POST', url, body: '{}' }, signal)).toMatchObject({ status: 200 });
  expect(seen).toEqual(['1.1']);
});

test.each([
  ['that refuses our password', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'the proxy refused our password (407)'],
  ['that may not go there', 'HTTP/1.1 403 Forbidden\r\n\r\n', 'the proxy did not connect us to the supplier (403)'],
  ['that breaks off', null, 'Not sent'],
])('a proxy %s lets nothing out to the supplier, and is named', async (_what, answer, words) => {
  const wire = open(await serveProxy(answer));
  const failure = await failureOf(wire.send({ method: 'POST', url: 'https://localhost:1/order', body: '{}' }, signal));
  expect(failure).toMatchObject({ neverLeft: true, message: expect.stringContaining(words) });
});

test('through a tunnel of a proxy it is the same: HTTP/1.1, once, and a break after it was sent leaves it open', async () => {
  trustOurselves();
  const seen: string[] = [];
  const url = await serveBothVersions(seen);
  const wire = open(await serveTunnels());
  const request = { method: 'POST' as const, url, body: '{}' };
  expect(await wire.send(request, signal)).toMatchObject({ status: 200 });
  expect(seen).toEqual(['1.1']);
  expect(await failureOf(wire.send({ ...request, url: `${url}/break` }, signal))).toMatchObject({ neverLeft: false });
  expect(seen).toEqual(['1.1', '1.1']);
});

test('an answer without an end is given up', async () => {
  const megabyte = Buffer.alloc(1_024 * 1_024, 'x');
  const url = await serve((_request, response) => {
    const push = () => {
      while (!response.destroyed && response.write(megabyte));
      response.once('drain', push);
    };
    push();
  });
  const failure = await failureOf(open().send({ method: 'GET', url }, signal));
  expect(failure).toMatchObject({ neverLeft: false, message: expect.stringContaining('longer than') });
});

test('an aborted call ends at once', async () => {
  const url = await serve(() => undefined);
  const aborter = new AbortController();
  const sending = open().send({ method: 'GET', url }, aborter.signal);
  aborter.abort();
  expect(await failureOf(sending)).toMatchObject({ neverLeft: false });
});

test('only for a list, which may be long, is more than a megabyte read', async () => {
  const url = await serve((_request, response) => response.end('x'.repeat(1_024 * 1_024 + 1)));
  const failure = await failureOf(open().send({ method: 'GET', url }, signal));
  expect(failure).toMatchObject({ neverLeft: false, message: expect.stringContaining('longer than 1048576 bytes') });
  const list = await open().send({ method: 'GET', url }, signal, MAX_LIST_BYTES);
  expect(list.text).toHaveLength(1_024 * 1_024 + 1);
});

test('with an egress proxy everything goes through it, with its credentials', async () => {
  const seen: { url: string | undefined; proxy: string | undefined }[] = [];
  const proxy = await serve((request, response) => {
    seen.push({ url: request.url, proxy: request.headers['proxy-authorization'] });
    response.writeHead(200).end('{"ok":true}');
  });
  const wire = open(proxy.replace('http://', 'http://user:word@'));
  const answer = await wire.send({ method: 'POST', url: 'http://supplier.example/order', body: '{}' }, signal);
  expect(answer.text).toBe('{"ok":true}');
  expect(seen).toEqual([{ url: 'http://supplier.example/order', proxy: `Basic ${Buffer.from('user:word').toString('base64')}` }]);
});
