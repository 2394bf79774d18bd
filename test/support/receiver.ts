import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the receiver of webhooks gets it. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** How the receiver answers; the default is 200 without a body. */
export interface ReceiverAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Takes the request and never answers. */
  hang?: boolean;
}

/** A real HTTP server that keeps what it gets and answers as it is told. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Answers the requests to come. */
  answer(decide: (request: Received) => ReceiverAnswer): void;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let decide: (request: Received) => ReceiverAnswer = () => ({});
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const taken: Received = {
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      received.push(taken);
      const { status = 200, headers = {}, body = '', hang = false } = decide(taken);
      if (!hang) response.writeHead(status, headers).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => {
      decide = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
