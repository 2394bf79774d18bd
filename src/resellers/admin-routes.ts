import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { RevisionWatch } from '../db/revisions.ts';
import { typed } from '../http/app.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { type Account, findAccounts, transferView, transferViewSchema } from '../ledger/index.ts';
import { unreachable } from '../lib/assert.ts';
import type { Clock } from '../lib/clock.ts';
import { toJsonAmount } from '../lib/money.ts';
import { mapPage } from '../lib/page.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { actorOf } from '../operators/index.ts';
import { changeReseller } from './change-reseller.ts';
import {
  adjustmentSchema,
  changeResellerSchema,
  createResellerSchema,
  credentialView,
  credentialViewSchema,
  depositSchema,
  fromCredentialId,
  fromResellerId,
  issueCredentialSchema,
  issuedCredentialViewSchema,
  resellerListQuerySchema,
  resellerView,
  resellerViewSchema,
} from './contract.ts';
import { createReseller } from './create-reseller.ts';
import { adjustBalance, type CreditOutcome, creditDeposit } from './credit-balance.ts';
import { issueCredential, revokeCredential } from './issue-credential.ts';
import type { Reseller } from './reseller.ts';
import { findReseller, listCredentials, listResellers } from './store.ts';

export interface ResellerAdminDeps {
  database: Database;
  clock: Clock;
  secretBox: SecretBox;
  revisions: RevisionWatch;
  adminGate: onRequestAsyncHookHandler;
  view: { currency: string; timeZone: string };
}

const TAGS = ['Resellers'];
const resellerParams = z.strictObject({
  reseller_id: z
    .string()
    .transform((id) => fromResellerId(id) ?? '')
    .describe('`rs_…`'),
});
const credentialParams = resellerParams.extend({
  credential_id: z
    .string()
    .transform((id) => fromCredentialId(id) ?? '')
    .describe('`cr_…`'),
});

export function resellerAdminRoutes(deps: ResellerAdminDeps) {
  const { db } = deps.database;
  const { timeZone, currency } = deps.view;
  const balanceDeps = { db, clock: deps.clock, timeZone, currency };
  const withBalances = async (reseller: Reseller, accounts?: Account[]) =>
    resellerView(reseller, accounts ?? (await findAccounts(db, [reseller.id])), timeZone);

  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);

    app.post(
      '/admin/api/reseller',
      {
        schema: {
          tags: TAGS,
          summary: 'Register a reseller',
          body: createResellerSchema,
          response: { 200: successSchema(resellerViewSchema) },
        },
      },
      async (request) => {
        const { name, username, tier, low_balance_threshold: threshold } = request.body;
        const lowBalanceThreshold = threshold === null ? null : BigInt(threshold);
        const outcome = await createReseller({ db, clock: deps.clock }, actorOf(request), {
          name,
          username,
          tierCode: tier,
          lowBalanceThreshold,
        });
        if (outcome.kind === 'username_taken') throw new Problem('conflict', `The username "${username}" is taken.`);
        if (outcome.kind === 'unknown_tier') throw unknownTier(tier);
        return success('Reseller registered', await withBalances(outcome.reseller));
      },
    );

    app.get(
      '/admin/api/reseller',
      {
        schema: {
          tags: TAGS,
          summary: 'List and search resellers',
          querystring: resellerListQuerySchema,
          response: { 200: pagedSchema(resellerViewSchema) },
        },
      },
      async (request) => {
        const page = await listResellers(db, request.query);
        const accounts = await findAccounts(
          db,
          page.items.map(({ id }) => id),
        );
        return pagedSuccess(
          'Resellers retrieved',
          mapPage(page, (reseller) => resellerView(reseller, accounts, timeZone)),
        );
      },
    );

    app.get(
      '/admin/api/reseller/:reseller_id',
      {
        schema: {
          tags: TAGS,
          summary: 'Get a reseller',
          params: resellerParams,
          response: { 200: successSchema(resellerViewSchema) },
        },
      },
      async (request) => {
        const reseller = request.params.reseller_id && (await findReseller(db, request.params.reseller_id));
        if (!reseller) throw unknownReseller();
        return success('Reseller retrieved', await withBalances(reseller));
      },
    );

    app.patch(
      '/admin/api/reseller/:reseller_id',
      {
        schema: {
          tags: TAGS,
          summary: 'Change, suspend or reinstate a reseller',
          params: resellerParams,
          body: changeResellerSchema,
          response: { 200: successSchema(resellerViewSchema) },
        },
      },
      async (request) => {
        const { name, tier, status, low_balance_threshold: threshold } = request.body;
        const change = {
          ...(name !== undefined && { name }),
          ...(tier !== undefined && { tierCode: tier }),
          ...(status !== undefined && { status }),
          ...(threshold !== undefined && { lowBalanceThreshold: threshold === null ? null : BigInt(threshold) }),
        };
        const id = requireReseller(request.params.reseller_id);
        const outcome = await changeReseller({ db, clock: deps.clock, revisions: deps.revisions }, actorOf(request), id, change);
        if (outcome.kind === 'not_found') throw unknownReseller();
        if (outcome.kind === 'unknown_tier') throw unknownTier(tier ?? '');
        return success('Reseller changed', await withBalances(outcome.reseller));
      },
    );

    app.post(
      '/admin/api/reseller/:reseller_id/credential',
      {
        schema: {
          tags: TAGS,
          summary: 'Issue a token and its signing secret',
          params: resellerParams,
          body: issueCredentialSchema,
          response: { 200: successSchema(issuedCredentialViewSchema) },
        },
      },
      async (request) => {
        const { mode, scopes, expires_at: expiresAt, allowed_ips: allowedIps } = request.body;
        const issued = await issueCredential({ db, clock: deps.clock, secretBox: deps.secretBox }, actorOf(request), {
          resellerId: requireReseller(request.params.reseller_id),
          mode,
          scopes,
          expiresAt,
          allowedIps,
        });
        if (issued === null) throw unknownReseller();
        return success('Credential issued; its token and secret are shown only now', {
          ...credentialView(issued.credential, deps.clock.now(), timeZone),
          access_token: issued.accessToken,
          signing_secret: issued.signingSecret,
        });
      },
    );

    app.get(
      '/admin/api/reseller/:reseller_id/credential',
      {
        schema: {
          tags: TAGS,
          summary: 'List credentials',
          params: resellerParams,
          response: { 200: successSchema(z.array(credentialViewSchema)) },
        },
      },
      async (request) => {
        const reseller = await findReseller(db, requireReseller(request.params.reseller_id));
        if (!reseller) throw unknownReseller();
        const credentials = await listCredentials(db, reseller.id);
        return success(
          'Credentials retrieved',
          credentials.map((credential) => credentialView(credential, deps.clock.now(), timeZone)),
        );
      },
    );

    app.delete(
      '/admin/api/reseller/:reseller_id/credential/:credential_id',
      {
        schema: {
          tags: TAGS,
          summary: 'Revoke a credential',
          params: credentialParams,
          response: { 200: successSchema(credentialViewSchema) },
        },
      },
      async (request) => {
        const { reseller_id: resellerId, credential_id: credentialId } = request.params;
        if (resellerId === '' || credentialId === '') throw unknownCredential();
        const revoked = await revokeCredential({ db, clock: deps.clock, revisions: deps.revisions }, actorOf(request), {
          resellerId,
          credentialId,
        });
        if (revoked === null) throw unknownCredential();
        return success('Credential revoked', credentialView(revoked, deps.clock.now(), timeZone));
      },
    );

    app.post(
      '/admin/api/reseller/:reseller_id/deposit',
      {
        schema: {
          tags: TAGS,
          summary: 'Credit a payment, once per reference',
          params: resellerParams,
          body: depositSchema,
          response: { 200: successSchema(transferViewSchema) },
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
          tags: TAGS,
          summary: 'Correct a balance',
          params: resellerParams,
          body: adjustmentSchema,
          response: { 200: successSchema(transferViewSchema) },
        },
      },
      async (request) => {
        const { amount, mode, reason } = request.body;
        const resellerId = requireReseller(request.params.reseller_id);
        const outcome = await adjustBalance(balanceDeps, actorOf(request), { resellerId, mode, amount: BigInt(amount), reason });
        return success('Balance adjusted', transferView(transferOf(outcome), timeZone));
      },
    );
  };
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

function requireReseller(id: string): string {
  if (id === '') throw unknownReseller();
  return id;
}

function unknownReseller(): Problem {
  return new Problem('not_found', 'There is no reseller with this id.');
}

function unknownCredential(): Problem {
  return new Problem('not_found', 'The reseller has no credential with this id.');
}

function unknownTier(tier: string): Problem {
  const message = `There is no tier "${tier}". GET /admin/api/tier lists all.`;
  return new Problem('invalid_request', message, { issues: [{ path: 'tier', message }] });
}
