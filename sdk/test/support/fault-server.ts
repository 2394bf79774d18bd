import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/** A request as the server saw it. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** What the server does with one request. */
export type Play = (response: ServerResponse, seen: Seen) => void;

export interface FaultServer {
  url(): string;
  seen: Seen[];
  /** The plays for the next requests, in their order. A request too many breaks the connection. */
  play(...plays: Play[]): void;
}

/** A real HTTP server on the loopback that answers, fails or keeps silent as it is told, for all tests of a file. */
export function faultServer(): FaultServer {
  const seen: Seen[] = [];
  let plays: Play[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    seen.push(one);
    (plays.shift() ?? lost)(response, one);
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  beforeEach(() => {
    seen.length = 0;
    plays = [];
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    play(...next) {
      plays = next;
    },
  };
}

/** A successful answer. */
export function data(value: unknown, more: object = {}): Play {
  return (response) => send(response, 200, { status: 200, success: true, message: 'Fine', data: value, ...more });
}

/** An error of the service. */
export function refusal(
  status: number,
  code: string,
  { headers = {}, ...error }: { headers?: Record<string, string>; retryable?: boolean; details?: object; issues?: object[] } = {},
): Play {
  return (response) => {
    const body = { status, success: false, message: `Refused: ${code}.`, data: null };
    send(response, status, { ...body, error: { code, retryable: false, ...error }, request_id: 'r' }, headers);
  };
}

/** Something in between answers that is not Topgate. */
export function stranger(status: number, headers: Record<string, string> = {}): Play {
  return (response) => response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<h1>nginx</h1>');
}

/** The request arrives, and the connection breaks before an answer. */
export const lost: Play = (response) => response.destroy();

/** The answer breaks off in the middle. */
export const cutShort: Play = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"status":200,"success":true,', () => response.destroy());
};

/** No answer ever comes. */
export const silent: Play = () => undefined;

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'from-the-service', ...headers });
  response.end(JSON.stringify(body));
}
