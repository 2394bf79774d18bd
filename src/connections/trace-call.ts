import type { Clock } from '../lib/clock.ts';
import type { Exchange, SupplierCall, Wire } from '../suppliers/index.ts';

const MAX_KEPT_CHARACTERS = 8_192;

/** The way to the network for one call, which writes down what went over it. */
export function traceCall(options: {
  wire: Wire;
  clock: Clock;
  redact: (text: string) => string;
  /** Grows by one with each request. */
  exchanges: Exchange[];
  signal: AbortSignal;
  maxBytes?: number | undefined;
}): SupplierCall {
  const { wire, clock, exchanges, signal, maxBytes } = options;
  // Cut only after masking, or the beginning of a secret could be left at the end.
  const keep = (text: string) =>
    options
      .redact(text.slice(0, 2 * MAX_KEPT_CHARACTERS))
      .slice(0, MAX_KEPT_CHARACTERS)
      .replaceAll('\u0000', '\ufffd');
  return {
    signal,
    async send(request) {
      // Whoever waited has given up; what is sent now would be a purchase that nobody knows of.
      signal.throwIfAborted();
      const startedAt = clock.now();
      const exchange: Exchange = {
        method: request.method,
        url: keep(request.url),
        requestBody: request.body === undefined ? null : keep(request.body),
        status: null,
        responseBody: null,
        error: 'no answer yet',
        durationMs: 0,
      };
      exchanges.push(exchange);
      try {
        const answer = await wire.send(request, signal, maxBytes);
        Object.assign(exchange, { status: answer.status, responseBody: keep(answer.text), error: null });
        return answer;
      } catch (error) {
        exchange.error = keep(error instanceof Error ? error.message : String(error));
        throw error;
      } finally {
        exchange.durationMs = Math.max(0, clock.now().getTime() - startedAt.getTime());
      }
    },
  };
}
