import { expect, test } from 'vitest';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createCircuit } from './circuit.ts';

const LIMITS = { failures: 3, restMs: 10_000 };

function enter(circuit: ReturnType<typeof createCircuit>): (succeeded: boolean) => void {
  const record = circuit.enter();
  if (record === null) throw new Error('the circuit is open');
  return record;
}

function failing(circuit: ReturnType<typeof createCircuit>, times: number): void {
  for (let time = 0; time < times; time++) enter(circuit)(false);
}

test('opens after so many failures in a row, and not before', () => {
  const circuit = createCircuit(new FakeClock(), LIMITS);
  failing(circuit, 2);
  expect(circuit.isClosed()).toBe(true);
  failing(circuit, 1);
  expect(circuit.isClosed()).toBe(false);
  expect(circuit.enter()).toBeNull();
});

test('a success in between starts the count anew', () => {
  const circuit = createCircuit(new FakeClock(), LIMITS);
  failing(circuit, 2);
  enter(circuit)(true);
  failing(circuit, 2);
  expect(circuit.isClosed()).toBe(true);
});

test('after its rest it comes back by itself: one call is tried, and a success closes it', async () => {
  const clock = new FakeClock();
  const circuit = createCircuit(clock, LIMITS);
  failing(circuit, 3);
  await clock.advance(10_000);
  expect(circuit.isClosed()).toBe(true);
  const trial = enter(circuit);
  expect(circuit.enter()).toBeNull();
  trial(true);
  expect(circuit.enter()).not.toBeNull();
  expect(circuit.enter()).not.toBeNull();
});

test('a failed trial sends it back to rest', async () => {
  const clock = new FakeClock();
  const circuit = createCircuit(clock, LIMITS);
  failing(circuit, 3);
  await clock.advance(10_000);
  failing(circuit, 1);
  expect(circuit.enter()).toBeNull();
  await clock.advance(10_000);
  expect(circuit.enter()).not.toBeNull();
});

test('a call from before the rest ends neither the rest nor the trial after it', async () => {
  const clock = new FakeClock();
  const circuit = createCircuit(clock, LIMITS);
  const [early, late, last] = [enter(circuit), enter(circuit), enter(circuit)];
  failing(circuit, 3);
  early(true);
  expect(circuit.isClosed()).toBe(false);
  await clock.advance(10_000);
  const trial = enter(circuit);
  late(true);
  last(false);
  expect(circuit.enter()).toBeNull();
  trial(true);
  expect(circuit.enter()).not.toBeNull();
});
