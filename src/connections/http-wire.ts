import { Agent, type Dispatcher, ProxyAgent, request as send } from 'undici';
import { SECOND_MS } from '../lib/clock.ts';
import { type Wire, WireError, type WireRequest } from '../suppliers/index.ts';

const CONNECT_LIMIT_MS = 10 * SECOND_MS;
/** The caller's limit ends a call earlier; this one only makes sure that no connection stays for ever. */
const ANSWER_LIMIT_MS = 130 * SECOND_MS;
const MAX_HEADER_BYTES = 32 * 1_024;
/** Price lists of thousands of items have a few megabytes. */
const MAX_BODY_BYTES = 32 * 1_024 * 1_024;
const KEEP_ALIVE_MS = 20 * SECOND_MS;

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
  };
  const agent: Dispatcher =
    options.proxyUrl === null
      ? new Agent({ ...limits, connect: { timeout: CONNECT_LIMIT_MS } })
      : new ProxyAgent({ ...limits, uri: options.proxyUrl, proxyTls: { timeout: CONNECT_LIMIT_MS } });
  const headers = { accept: 'application/json', 'user-agent': `Topgate/${options.version}` };

  return {
    async send(request: WireRequest, signal) {
      try {
        const { statusCode, body } = await send(request.url, {
          method: request.method,
          headers: { ...headers, ...request.headers },
          ...(request.body !== undefined && { body: request.body }),
          dispatcher: agent,
          signal,
        });
        return { status: statusCode, text: await readAll(body) };
      } catch (error) {
        throw toWireError(error);
      }
    },
    close() {
      agent.close().catch(() => undefined);
    },
  };
}

async function readAll(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > MAX_BODY_BYTES) {
      body.on('error', () => undefined).destroy();
      throw new WireError(`The answer is longer than ${MAX_BODY_BYTES} bytes.`, { neverLeft: false });
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Failures that come before a connection stands, and with it before the first byte of a request. */
const NEVER_LEFT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

function toWireError(error: unknown): WireError {
  if (error instanceof WireError) return error;
  // A name with several addresses fails with the failures of all.
  const failures = error instanceof AggregateError ? error.errors : [error];
  const codes = failures.map((failure) => String((failure as Partial<NodeJS.ErrnoException>).code ?? ''));
  const neverLeft = codes.every((code) => NEVER_LEFT.has(code));
  const reason = codes[0] || (error instanceof Error ? error.message : String(error));
  return new WireError(`No answer: ${reason}`, { neverLeft, cause: error });
}
