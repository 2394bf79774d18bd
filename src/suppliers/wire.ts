const SERVER_FAULT = 500;

/** The way to the network for one call to a supplier. */
export interface SupplierCall {
  /** Aborted when the call has taken too long. */
  signal: AbortSignal;
  /** How long the whole call may take; not there where nobody said so. */
  limitMs?: number;
  /** Sends one request and reads the answer whole. Throws `WireError` when there is none. */
  send(request: WireRequest): Promise<WireAnswer>;
}

export interface WireRequest {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  /** Sent as these bytes: what was signed is what leaves. */
  body?: string;
}

export interface WireAnswer {
  status: number;
  text: string;
}

/** No answer came, or none that can be read. */
export class WireError extends Error {
  /** The request never got its connection, so not one byte of it left: certain, or false. */
  readonly neverLeft: boolean;

  constructor(message: string, options: { neverLeft: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'WireError';
    this.neverLeft = options.neverLeft;
  }
}

/** Sends requests; the real one is `createWire`, and a simulation brings its own. */
export interface Wire {
  /** `maxBytes`: where an answer may be longer than usual, as lists are. */
  send(request: WireRequest, signal: AbortSignal, maxBytes?: number): Promise<WireAnswer>;
  /** Lets go of the connections once what is under way has ended. */
  close(): void;
}

/**
 * The JSON of an answer, unless its status says that the server has failed: that leaves open what had been done before, whatever
 * stands in the body. Throws where there is none, which makes the outcome `unknown`.
 */
export function readJson({ status, text }: WireAnswer): unknown {
  if (status >= SERVER_FAULT) throw new WireError(`HTTP ${status}`, { neverLeft: false });
  try {
    // Some servers put a byte order mark in front, which is no JSON.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new WireError(`The answer (HTTP ${status}) is not JSON.`, { neverLeft: false });
  }
}
