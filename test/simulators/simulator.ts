import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../src/lib/clock.ts';
import { type Wire, type WireAnswer, WireError, type WireRequest } from '../../src/suppliers/wire.ts';
import type { Dialect, SimulatorAnswer, SimulatorRequest } from './dialect.ts';
import { Shop, type ShopOptions } from './shop.ts';

/** What goes wrong between us and the supplier, whatever its dialect. */
export type Fault =
  | { is: 'none' }
  /** No connection: not one byte leaves. */
  | { is: 'refused' }
  /** The connection breaks before the supplier has read the request. */
  | { is: 'lost_request' }
  /** The supplier does what it was asked, and the connection breaks before its answer is here. */
  | { is: 'lost_answer' }
  /** An error page instead of an answer; `done`: the supplier had done what it was asked before. */
  | { is: 'error_page'; status: number; done: boolean }
  /** The supplier answers in its own words, under a status that says that its server has failed. */
  | { is: 'server_fault'; status: number }
  /** The supplier does what it was asked, and its answer is changed before it is here. */
  | { is: 'altered'; answer: (body: string) => string }
  /** The supplier does what it was asked and answers bytes that mean nothing. */
  | { is: 'garbage'; body: string }
  /** The answer is right and comes late. */
  | { is: 'slow'; delayMs: number };

const NO_FAULT: Fault = { is: 'none' };
const ERROR_PAGE = '<html><body><h1>502 Bad Gateway</h1></body></html>';

export interface SimulatorOptions extends Omit<ShopOptions, 'items' | 'nameOf'> {
  /** What happens to the next request; nothing unusual when not given. */
  faultOf?: (request: SimulatorRequest) => Fault;
}

/** A supplier that does not exist: a dialect before a shop, reachable in this process or over HTTP, with faults in between. */
export class Simulator {
  readonly dialect: Dialect;
  readonly shop: Shop;
  readonly clock: Clock;
  faultOf: (request: SimulatorRequest) => Fault;
  /** Everything that reached the supplier. */
  readonly requests: SimulatorRequest[] = [];

  constructor(dialect: Dialect, { faultOf, ...options }: SimulatorOptions) {
    this.dialect = dialect;
    this.clock = options.clock;
    this.shop = new Shop({
      ...options,
      items: dialect.items.map((item) => ({ ...item })),
      ...(dialect.nameOf && { nameOf: dialect.nameOf }),
    });
    this.faultOf = faultOf ?? (() => NO_FAULT);
  }

  /** Answers one request, or null where the connection breaks. */
  handle(request: SimulatorRequest, signal?: AbortSignal): Promise<SimulatorAnswer | null> {
    return this.#answer(request, this.faultOf(request), signal);
  }

  async #answer(request: SimulatorRequest, fault: Fault, signal?: AbortSignal): Promise<SimulatorAnswer | null> {
    if (fault.is === 'lost_request' || fault.is === 'refused') return null;
    if (fault.is === 'error_page' && !fault.done) return { status: fault.status, body: ERROR_PAGE };
    this.requests.push(request);
    const answer = this.dialect.answer(this.shop, request);
    if (fault.is === 'lost_answer') return null;
    if (fault.is === 'error_page') return { status: fault.status, body: ERROR_PAGE };
    if (fault.is === 'server_fault') return { ...answer, status: fault.status };
    if (fault.is === 'altered') return { ...answer, body: fault.answer(answer.body) };
    if (fault.is === 'garbage') return { status: 200, body: fault.body };
    if (fault.is === 'slow') await this.clock.sleep(fault.delayMs, signal);
    return answer;
  }

  /** The way to this simulator inside the process, without a network. */
  wire(): Wire {
    return {
      send: (request, signal) => this.#send(request, signal),
      close() {},
    };
  }

  async #send(request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
    const url = new URL(request.url);
    const headers = Object.fromEntries(Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
    const received = { method: request.method, path: url.pathname, query: url.searchParams, headers, body: request.body ?? '' };
    const fault = this.faultOf(received);
    if (fault.is === 'refused') throw new WireError('No answer: ECONNREFUSED', { neverLeft: true });
    const answer = await this.#answer(received, fault, signal);
    if (signal.aborted) throw new WireError('No answer: aborted', { neverLeft: false });
    if (answer === null) throw new WireError('No answer: ECONNRESET', { neverLeft: false });
    return { status: answer.status, text: answer.body };
  }

  /** Opens the simulator on a port of this machine. */
  async listen(port = 0): Promise<{ url: string; close(): Promise<void> }> {
    const server = http.createServer((request, response) => {
      this.#serve(request, response).catch((error) => response.destroy(error));
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
    const { port: opened } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${opened}`,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '/', 'http://simulator');
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const body = Buffer.concat(chunks).toString('utf8');
    const method = request.method ?? 'GET';
    const answer = await this.handle({ method, path: url.pathname, query: url.searchParams, headers, body });
    if (answer === null) request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  }
}
