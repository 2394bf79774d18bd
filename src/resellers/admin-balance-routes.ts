import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { transferView, transferViewSchema } from '../ledger/index.ts';
import { unreachable } from '../lib/assert.ts';
import { toJsonAmount } from '../lib/money.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type ResellerAdminDeps, requireReseller, resellerParams, unknownReseller } from './admin-parts.ts';
import { adjustmentSchema, depositSchema } from './contract.ts';
import { adjustBalance, type CreditOutcome, creditDeposit } from './credit-balance.ts';

/** Balances: credit a payment, correct by hand. */
export function addBalanceRoutes(app: TypedApp, deps: ResellerAdminDeps): void {
  const { db } = deps.database;
  const { timeZone, currency } = deps.view;
  const balanceDeps = { db, clock: deps.clock, timeZone, currency };

  app.post(
    '/admin/api/reseller/:reseller_id/deposit',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'createDeposit',
        summary: 'Credit a payment, once per reference',
        params: resellerParams,
        body: depositSchema,
        response: { 200: successSchema(transferViewSchema, 'Deposit credited') },
        problems: ['not_found', 'conflict'],
      },
    },
    async (request) => {
      const { amount, mode, reference } = request.body;
      const resellerId = requireReseller(request.params.reseller_id);
      const outcome = await creditDeposit(balanceDeps, actorOf(request), {
        resellerId,
        mode,
        amount: BigInt(amount),
        reference,
      });
      return success(
        outcome.kind === 'repeated' ? 'This deposit was credited before' : 'Deposit credited',
        transferView(transferOf(outcome), timeZone),
      );
    },
  );

  app.post(
    '/admin/api/reseller/:reseller_id/adjustment',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'createAdjustment',
        summary: 'Correct a balance',
        params: resellerParams,
        body: adjustmentSchema,
        response: { 200: successSchema(transferViewSchema, 'Balance adjusted') },
        problems: ['not_found', 'insufficient_balance'],
      },
    },
    async (request) => {
      const { amount, mode, reason } = request.body;
      const resellerId = requireReseller(request.params.reseller_id);
      const outcome = await adjustBalance(balanceDeps, actorOf(request), { resellerId, mode, amount: BigInt(amount), reason });
      return success('Balance adjusted', transferView(transferOf(outcome), timeZone));
    },
  );
}

function transferOf(outcome: CreditOutcome) {
  switch (outcome.kind) {
    case 'moved':
    case 'repeated':
      return outcome.transfer;
    case 'not_found':
      throw unknownReseller();
    case 'reference_conflict':
      throw new Problem(
        'conflict',
        `This reference belongs to a deposit of ${outcome.transfer.amount}. Use another reference for another payment.`,
      );
    case 'insufficient':
      throw new Problem('insufficient_balance', 'The balance would become negative. Nothing was changed.', {
        details: { balance: toJsonAmount(outcome.balance) },
      });
    default:
      return unreachable(outcome);
  }
}
