import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkConfig } from '../../src/connections/settings.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/lib/clock.ts';
import type { Subject } from './subject.ts';
import { BASE_URL } from './values.ts';

const ADAPTERS = path.join(import.meta.dirname, '..', '..', 'src', 'suppliers');
const README_HEADINGS = ['## Set-up', '## What is where', '## Sources', '## What is not certain'];

/** What an adapter tells of itself has to be true. */
export function describeWhatItSays(at: Subject): void {
  const { kind, dialect } = at;
  const { capabilities: can } = kind;
  describe('says of itself', () => {
    test('its fields, with base_url and its credentials as secrets', () => {
      expect(kind.fields.map(({ key }) => key)).toContain('base_url');
      expect(kind.fields.some(({ secret }) => secret)).toBe(true);
      expect(checkConfig(kind, { base_url: BASE_URL, ...dialect.config }, true)).toEqual([]);
      expect(kind.fields.every(({ label }) => label.length > 0)).toBe(true);
    });

    test('limits that have an end', () => {
      const { limits } = kind;
      for (const limit of [limits.concurrency, limits.placeLimitMs, limits.checkLimitMs, limits.lookupLimitMs]) {
        expect(limit).toBeGreaterThan(0);
        expect(limit).toBeLessThanOrEqual(120 * SECOND_MS);
      }
      expect(limits.lookAgainAfterMs.length).toBeGreaterThan(2);
      expect(Math.max(...limits.lookAgainAfterMs)).toBeLessThanOrEqual(6 * HOUR_MS);
      expect(limits.reviewAfterMs).toBeLessThanOrEqual(3 * DAY_MS);
      expect(limits.circuit).not.toBeNull();
    });

    test('exactly what it can do', () => {
      const adapter = at.adapter();
      expect({
        nickname: adapter.lookupNickname !== undefined,
        balance: adapter.balance !== undefined,
        priceList: adapter.listServices !== undefined,
        callback: adapter.readCallback !== undefined,
      }).toEqual({ nickname: can.nickname, balance: can.balance, priceList: can.priceList, callback: can.callback });
    });

    test('in a README: set-up, where what stands, sources, and what is not certain', () => {
      const text = fs.readFileSync(path.join(ADAPTERS, kind.kind, 'README.md'), 'utf8');
      for (const heading of README_HEADINGS) expect(text).toContain(`\n${heading}\n`);
    });
  });
}
