import { expect, test } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createCircuit } from './circuit.ts';

const LIMITS = { failures: 3, restMs: 10_000 };

function failing(circuit: ReturnType<typeof createCircuit>, times: number): void {
  for (let time = 0; time < times; time++) {
    expect(circuit.tryEnter()).toBe(true);
    circuit.record(false);
  }
}

test('opens after so many failures in a row, and not before', () => {
  const circuit = createCircuit(new FakeClock(), LIMITS);
  failing(circuit, 2);
  expect(circuit.isClosed()).toBe(true);
  failing(circuit, 1);
  expect(circuit.isClosed()).toBe(false);
  expect(circuit.tryEnter()).toBe(false);
});

test('a success in between starts the count anew', () => {
  const circuit = createCircuit(new FakeClock(), LIMITS);
  failing(circuit, 2);
  circuit.tryEnter();
  circuit.record(true);
  failing(circuit, 2);
  expect(circuit.isClosed()).toBe(true);
});

test('after its rest it comes back by itself: one call is tried, and a success closes it', async () => {
  const clock = new FakeClock();
  const circuit = createCircuit(clock, LIMITS);
  failing(circuit, 3);
  await clock.advance(10_000);
  expect(circuit.isClosed()).toBe(true);
  expect(circuit.tryEnter()).toBe(true);
  expect(circuit.tryEnter()).toBe(false);
  circuit.record(true);
  expect(circuit.tryEnter()).toBe(true);
  expect(circuit.tryEnter()).toBe(true);
});

test('a failed trial sends it back to rest', async () => {
  const clock = new FakeClock();
  const circuit = createCircuit(clock, LIMITS);
  failing(circuit, 3);
  await clock.advance(10_000);
  failing(circuit, 1);
  expect(circuit.tryEnter()).toBe(false);
  await clock.advance(10_000);
  expect(circuit.tryEnter()).toBe(true);
});
