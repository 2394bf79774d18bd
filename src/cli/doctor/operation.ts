import type { ReviewItem, Supplier } from '../answers.ts';
import { CommandError } from '../errors.ts';
import { count } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { openAdminSession } from '../session.ts';
import { type Finding, ok, skipped, warning } from './finding.ts';

/** Enough to say that it is many. */
const COUNTED = 200;
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** What waits for the operator: suppliers that need a look, and orders that need a decision. Asked of the running service. */
export async function examineOperation(deps: ProgramDeps, url: string | undefined): Promise<Finding[]> {
  try {
    const { client } = openAdminSession(deps, url === undefined ? {} : { url });
    const suppliers = await client.get<Supplier[]>('/admin/api/supplier');
    const reviews = await client.get<ReviewItem[]>('/admin/api/review', { mode: 'live', limit: COUNTED });
    return [...judgeSuppliers(suppliers.data), judgeReviews(reviews.data, reviews.nextCursor !== null)];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [skipped('Suppliers', error.message), skipped('Review', error.message)];
  }
}

/** Each alert of each supplier, as the list of suppliers has them. */
export function judgeSuppliers(suppliers: Pick<Supplier, 'code' | 'alerts'>[]): Finding[] {
  const findings = suppliers.flatMap(({ code, alerts }) =>
    alerts.map(({ message }) => warning('Suppliers', `${code}: ${message}`, `look at it with: topgate supplier show ${code}`)),
  );
  return findings.length > 0 ? findings : [ok('Suppliers', `none of ${suppliers.length} needs a look`)];
}

/** Live orders that wait for a decision; the first has waited longest. */
export function judgeReviews(waiting: Pick<ReviewItem, 'waiting_seconds'>[], areMore: boolean): Finding {
  const [longest] = waiting;
  if (longest === undefined) return ok('Review', 'no live order waits for a decision');
  const orders = `${areMore ? 'more than ' : ''}${count(waiting.length, 'live order')}`;
  const text = `${orders} ${waiting.length === 1 ? 'waits' : 'wait'} for a decision, the longest for ${inWords(longest.waiting_seconds)}`;
  return warning('Review', text, 'decide with: topgate review list');
}

function inWords(seconds: number): string {
  if (seconds >= 2 * DAY_S) return `${Math.floor(seconds / DAY_S)} days`;
  if (seconds >= 2 * HOUR_S) return `${Math.floor(seconds / HOUR_S)} hours`;
  return count(Math.floor(seconds / 60), 'minute');
}
