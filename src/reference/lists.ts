import { AVAILABILITIES } from '../catalog/index.ts';
import { ADMIN_PROBLEM_CODES, PROBLEMS, type ProblemCode } from '../http/problems.ts';
import { ORDER_STATES } from '../orders/index.ts';
import { FAILURES } from '../suppliers/index.ts';
import { EVENT_TYPES } from '../webhooks/index.ts';
import { EVENT_KINDS } from './events.ts';

const ORDER_STATE_MEANINGS: Record<(typeof ORDER_STATES)[number], string> = {
  Process: 'Paid and being delivered. Wait for the event, or ask for the status.',
  Success: 'Delivered; serial_number is the proof.',
  Failed: 'Not delivered. The money is back on your balance; failure says why.',
  Refunded: 'Was delivered, then taken back. The money is back on your balance.',
};

const AVAILABILITY_MEANINGS: Record<(typeof AVAILABILITIES)[number], string> = {
  Available: 'Can be ordered.',
  Unavailable: 'Cannot be ordered at the moment.',
  Maintenance: 'Cannot be ordered until maintenance ends.',
};

/** Every state, error code, failure code and event type, with its meaning: the lists a program switches over. */
export function statusCodes() {
  const errors = Object.entries(PROBLEMS).filter(([code]) => !ADMIN_PROBLEM_CODES.has(code as ProblemCode));
  return {
    order: ORDER_STATES.map((state) => ({ status: state, meaning: ORDER_STATE_MEANINGS[state] })),
    product: AVAILABILITIES.map((state) => ({ status: state, meaning: AVAILABILITY_MEANINGS[state] })),
    service: AVAILABILITIES.map((state) => ({ status: state, meaning: AVAILABILITY_MEANINGS[state] })),
    error: errors.map(([code, { status, retryable, meaning }]) => ({ code, status, retryable, meaning })),
    failure: Object.entries(FAILURES).map(([code, { message, fixableByPlayer }]) => ({
      code,
      meaning: message,
      fixable_by_player: fixableByPlayer,
    })),
    event: EVENT_TYPES.map((type) => ({ type, meaning: EVENT_KINDS[type].meaning })),
  };
}
