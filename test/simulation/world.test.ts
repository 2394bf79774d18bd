import { afterAll, beforeAll, expect, test } from 'vitest';
import { WorldEngine } from './engine.ts';
import { runWorld } from './live.ts';

/** A few worlds of a quarter of a day; many more run by `npm run simulate:world` and `npm run soak`. */
const DAYS = 0.25;
const FRESH_SEEDS = 1_000_000_000;
const LIMIT_MS = 240_000;

let engine: WorldEngine;
beforeAll(async () => {
  engine = await WorldEngine.open();
});
afterAll(() => engine.close());

/** Everything that is known of a world that broke a rule, and how to see it again. */
async function liveThrough(seed: number) {
  const report = await runWorld(engine, { seed, days: DAYS });
  const again = `npm run simulate:world -- --seed ${seed} --days ${DAYS}`;
  expect(report.violations, [...report.story, again].join('\n')).toEqual([]);
  return report;
}

test('a seed is one world: another one in between changes nothing about it', { timeout: LIMIT_MS }, async () => {
  const first = await liveThrough(1);
  const other = await liveThrough(2);
  const again = await liveThrough(1);
  expect(again.digest).toBe(first.digest);
  expect(again.tally.chronicle).toEqual(first.tally.chronicle);
  expect(other.digest).not.toBe(first.digest);
  expect(first.orders).toBeGreaterThan(10);
});

test('a world with a fresh seed keeps all rules', { timeout: LIMIT_MS }, async ({ annotate }) => {
  const seed = Math.floor(Math.random() * FRESH_SEEDS);
  process.stdout.write(`simulated world: seed ${seed}\n`);
  await annotate(`seed ${seed}`);
  await liveThrough(seed);
});
