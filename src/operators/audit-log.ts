import type { Tx } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';

/** Who makes a change: an operator, and the request it came with. */
export interface Actor {
  name: string;
  requestId: string | null;
}

/** Writes down what an operator did, in the transaction that does it. `details` must not hold secrets. */
export async function recordAction(
  tx: Tx,
  clock: Clock,
  actor: Actor,
  action: { action: string; subject: string; details?: Record<string, unknown> },
): Promise<void> {
  const now = clock.now();
  await tx
    .insertInto('audit_log')
    .values({
      id: newId(now),
      actor: actor.name,
      action: action.action,
      subject: action.subject,
      details: JSON.stringify(action.details ?? {}),
      request_id: actor.requestId,
      created_at: now,
    })
    .execute();
}
