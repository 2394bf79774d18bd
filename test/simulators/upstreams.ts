import type { Clock } from '../../src/lib/clock.ts';
import { type Wire, WireError } from '../../src/suppliers/wire.ts';
import type { Dialect } from './dialect.ts';
import { Simulator } from './simulator.ts';

/** Simulators of several suppliers, each at an address of its own, reachable without a network. */
export interface Upstreams {
  of(kind: string): Simulator;
  /** Where a supplier of this kind is configured to be. */
  addressOf(kind: string): string;
  openWire: () => Wire;
}

export function openUpstreams(clock: Clock, dialects: readonly Dialect[]): Upstreams {
  const simulators = new Map(
    dialects.map((dialect) => [dialect.kind, new Simulator(dialect, { clock, fateOf: () => ({ is: 'delivered', afterMs: 0 }) })]),
  );
  const of = (kind: string): Simulator => {
    const simulator = simulators.get(kind);
    if (!simulator) throw new Error(`There is no simulator of ${kind}.`);
    return simulator;
  };
  return {
    of,
    addressOf: (kind) => `https://${kind}.example`,
    openWire: () => ({
      send(request, signal) {
        const simulator = simulators.get(new URL(request.url).hostname.replace(/\.example$/, ''));
        if (!simulator) throw new WireError(`No answer: ${request.url} is nobody's`, { neverLeft: true });
        return simulator.wire().send(request, signal);
      },
      close() {},
    }),
  };
}
