import { Agent, type Dispatcher, ProxyAgent, request as send } from 'undici';
import { SECOND_MS } from '../lib/clock.ts';
import { type Wire, WireError } from '../suppliers/index.ts';

const CONNECT_LIMIT_MS = 10 * SECOND_MS;
/** The caller's limit ends a call earlier; this one only makes sure that no connection stays for ever. */
const ANSWER_LIMIT_MS = 130 * SECOND_MS;
const MAX_HEADER_BYTES = 32 * 1_024;
/** What a supplier says of one purchase has a few kilobytes. */
const MAX_ANSWER_BYTES = 1_024 * 1_024;
/** Price lists of thousands of items have a few megabytes. */
export const MAX_LIST_BYTES = 32 * 1_024 * 1_024;
const KEEP_ALIVE_MS = 20 * SECOND_MS;

/** HTTP/2 is not offered: a request whose stream is refused there is sent once more by the library, without asking us. */
const TLS = { timeout: CONNECT_LIMIT_MS, allowH2: false };

/**
 * The network as suppliers see it: no redirects, which could carry a purchase to another place; no repeats, which could buy
 * twice; and no more than the limits above.
 */
export function createWire(options: { proxyUrl: string | null; version: string }): Wire {
  const limits = {
    headersTimeout: ANSWER_LIMIT_MS,
    bodyTimeout: ANSWER_LIMIT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    allowH2: false,
  };
  const agent: Dispatcher =
    options.proxyUrl === null
      ? new Agent({ ...limits, connect: TLS })
      : new ProxyAgent({ ...limits, uri: options.proxyUrl, proxyTls: TLS, requestTls: TLS });
  const headers = { accept: 'application/json', 'user-agent': `Topgate/${options.version}` };

  return {
    async send(request, signal, maxBytes = MAX_ANSWER_BYTES) {
      let hasBegun = false;
      const dispatcher = agent.compose(
        whenBegun(() => {
          hasBegun = true;
        }),
      );
      try {
        const { statusCode, body } = await send(request.url, {
          method: request.method,
          headers: { ...headers, ...request.headers },
          ...(request.body !== undefined && { body: request.body }),
          dispatcher,
          signal,
        });
        return { status: statusCode, text: await readAll(body, maxBytes) };
      } catch (error) {
        if (error instanceof WireError) throw error;
        throw toWireError(error, { neverLeft: !hasBegun && !signal.aborted });
      }
    },
    close() {
      agent.close().catch(() => undefined);
    },
  };
}

/**
 * Tells when a request gets its connection, just before its first byte is written. Codes of errors cannot tell that: the same
 * `ENETUNREACH` comes from a connection that was never made and from one that broke after the purchase had gone through it. And
 * what keeps a connection from being made is without end: names, routes, certificates, a proxy that refuses.
 */
function whenBegun(tell: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const begin = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      tell();
      begin?.(controller, context);
    };
    return dispatch(options, handler);
  };
}

async function readAll(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > maxBytes) {
      body.on('error', () => undefined).destroy();
      throw new WireError(`The answer is longer than ${maxBytes} bytes.`, { neverLeft: false });
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

function toWireError(cause: unknown, { neverLeft }: { neverLeft: boolean }): WireError {
  return new WireError(`${neverLeft ? 'Not sent' : 'No answer'}: ${nameCause(cause)}`, { neverLeft, cause });
}

/** What went wrong, in words that an operator can act on. */
function nameCause(error: unknown): string {
  // A name with several addresses fails with the failures of all.
  if (error instanceof AggregateError) return error.errors.map(nameCause).join('; ');
  if (!(error instanceof Error)) return String(error);
  const [, proxyStatus] = /^Proxy response \((\d+)\)/.exec(error.message) ?? [];
  if (proxyStatus === '407' || error.message.startsWith('Proxy Authentication Required'))
    return 'the proxy refused our password (407)';
  if (proxyStatus !== undefined) return `the proxy did not connect us to the supplier (${proxyStatus})`;
  const { code } = error as Partial<NodeJS.ErrnoException>;
  return code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`;
}
