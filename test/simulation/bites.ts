/** A rule broken on purpose, as edits of a copy of the source: the simulation has to notice each. */
export interface Bite {
  name: string;
  edits: { file: string; find: string; replace: string }[];
}

const SETTLEMENT = 'src/orders/settlement.ts';
const SETTLE = 'src/orders/settle-orders.ts';

export const BITES: readonly Bite[] = [
  {
    name: 'fails over to the next supplier when the outcome is unknown',
    edits: [
      {
        file: SETTLEMENT,
        find: `      return lookAgain(order, { ...attempt, state: unknownAfter(attempt), message: outcome.reason }, null, context);
    case 'unclear':`,
        replace: `      return reject(order, attempts, attempt, { code: 'not_deliverable', retryElsewhere: true }, context);
    case 'unclear':`,
      },
    ],
  },
  {
    name: 'sends before the attempt is written',
    edits: [
      {
        file: 'src/orders/claim-orders.ts',
        find: `claims.flatMap(({ step }): Attempt[] => (step.kind === 'send' || step.kind === 'check' ? [step.attempt] : [])),`,
        replace: `claims.flatMap(({ step }): Attempt[] => (step.kind === 'check' ? [step.attempt] : [])),`,
      },
      {
        file: 'src/orders/dispatcher.ts',
        find: `step.kind === 'send' ? [step.attempt] : []`,
        replace: `step.kind === 'send' && step.attempt.number < 1 ? [step.attempt] : []`,
      },
      {
        file: SETTLE,
        find: `const known = attempts.get(finding.orderId) ?? [];`,
        replace: `const known = attempts.get(finding.orderId) ?? (finding.sent ? [finding.sent] : []);`,
      },
      {
        file: SETTLE,
        find: `  /** The lease under which it was learnt. */
  lease: string;`,
        replace: `  sent?: Attempt | null;
  lease: string;`,
      },
      {
        file: 'src/orders/dispatcher.ts',
        find: `lease: claim.lease, learnt }`,
        replace: `lease: claim.lease, learnt, sent: claim.step.kind === 'send' ? claim.step.attempt : null }`,
      },
    ],
  },
  {
    name: 'gives the money back again when late news comes, without the unique key of refunds',
    edits: [
      {
        file: SETTLEMENT,
        find: `{ order: ended, attempt: delivered, refund: null }`,
        replace: `{ order: ended, attempt: delivered, refund: 'refund' }`,
      },
      {
        file: SETTLEMENT,
        find: `code: outcome.kind, updatedAt: now }, refund: null }`,
        replace: `code: outcome.kind, updatedAt: now }, refund: 'refund' }`,
      },
      {
        file: 'migrations/0002-ledger.sql',
        find: `create unique index transfers_once_per_order`,
        replace: `create index transfers_once_per_order`,
      },
      {
        file: 'migrations/0004-orders.sql',
        find: `    or (old.refund_seq is not null and old.refund_seq is distinct from new.refund_seq) then`,
        replace: `  then`,
      },
    ],
  },
  {
    name: 'believes every "never heard of it" and sends again',
    edits: [
      {
        file: SETTLEMENT,
        find: `context.trustworthyNotFound && `,
        replace: `(context.trustworthyNotFound || true) && `,
      },
    ],
  },
  {
    name: 'forgets the reference of an order that it has taken',
    edits: [
      {
        file: 'src/orders/admit-orders.ts',
        find: `decideAdmissions(accounts, earlier, candidates)`,
        replace: `decideAdmissions(accounts, earlier.slice(earlier.length), candidates)`,
      },
      {
        file: 'migrations/0004-orders.sql',
        find: `constraint orders_ref_id unique (account_id, ref_id)`,
        replace: `constraint orders_ref_id check (ref_id <> '')`,
      },
    ],
  },
  {
    name: 'sends again what was being sent when the process died',
    edits: [
      {
        file: 'src/orders/next-step.ts',
        find: `  // Also an attempt still marked as being sent`,
        replace: `  if (open?.state === 'Sending' && order.state === 'Process')
    return { kind: 'send', attempt: { ...open, sends: open.sends + 1, updatedAt: now } };
  // Also an attempt still marked as being sent`,
      },
    ],
  },
  {
    name: 'never tells an operator of a supplier that is silent',
    edits: [
      {
        file: SETTLEMENT,
        find: `return waitedMs < context.reviewAfterMs`,
        replace: `return waitedMs < 1_000 * context.reviewAfterMs`,
      },
    ],
  },
  {
    name: 'ends an order without telling the reseller',
    edits: [
      {
        file: SETTLE,
        find: `if (order.state !== before.state) events.push`,
        replace: `if (order.state === 'Success') events.push`,
      },
    ],
  },
  {
    name: 'takes late news of a delivery for a no, and tells nobody',
    edits: [
      {
        file: SETTLEMENT,
        find: `  const ended: Order = { ...order, nextActionAt: null, lease: null };
  if (outcome.kind === 'rejected' ||`,
        replace: `  const ended: Order = { ...order, nextActionAt: null, lease: null };
  if (outcome.kind === 'delivered' || outcome.kind === 'rejected' ||`,
      },
    ],
  },
  {
    name: 'takes a late no for the last word, whatever was sent since',
    edits: [
      {
        file: SETTLE,
        find: `  return isLatest && (kind === 'rejected'`,
        replace: `  return kind === 'rejected' || isLatest && (kind === 'rejected'`,
      },
    ],
  },
  {
    name: 'goes elsewhere when a repeated purchase meets an account at fault, though the first one may still arrive',
    edits: [
      {
        file: SETTLEMENT,
        find: `    case 'misconfigured':
      return mayStillArrive(attempt, context)`,
        replace: `    case 'misconfigured':
      return attempt === null`,
      },
    ],
  },
  {
    name: 'gives all the money back when a part was delivered',
    edits: [
      {
        file: SETTLEMENT,
        find: `  if (attempt.isPartial && (outcome`,
        replace: `  if (attempt === null && (outcome`,
      },
    ],
  },
];
