import { SECOND_MS } from '../../src/lib/clock.ts';
import type { Fate } from '../simulators/shop.ts';
import type { Fault } from '../simulators/simulator.ts';

export const BASE_URL = 'https://supplier.example';
export const PLAYER = { userId: '12345678', zone: '2001' };
export const NO_FAULT: Fault = { is: 'none' };
export const DELIVERED: Fate = { is: 'delivered', afterMs: 0 };
export const LATER_MS = 60 * SECOND_MS;

/** An answer that is no answer: nothing may be concluded from any of these. */
export const GARBAGE = [
  '',
  'null',
  '[]',
  '{}',
  '"ok"',
  '42',
  '{"data":null}',
  '{"data":[]}',
  '<html></html>',
  '{"status":',
  '\u0000\u0001',
];
