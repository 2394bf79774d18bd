import type { TypedApp } from '../http/app.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import { findAccounts } from '../ledger/index.ts';
import { mapPage } from '../lib/page.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type ResellerAdminDeps, requireReseller, resellerParams, unknownReseller } from './admin-parts.ts';
import { changeReseller } from './change-reseller.ts';
import {
  changeResellerSchema,
  createResellerSchema,
  resellerListQuerySchema,
  resellerView,
  resellerViewSchema,
} from './contract.ts';
import { createReseller } from './create-reseller.ts';
import type { Reseller } from './reseller.ts';
import { findReseller, listResellers } from './store.ts';

/** Resellers: register, find, change, suspend. */
export function addResellerRoutes(app: TypedApp, deps: ResellerAdminDeps): void {
  const { db } = deps.database;
  const { timeZone } = deps.view;
  const withBalances = async (reseller: Reseller) => resellerView(reseller, await findAccounts(db, [reseller.id]), timeZone);

  app.post(
    '/admin/api/reseller',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'createReseller',
        summary: 'Register a reseller',
        body: createResellerSchema,
        response: { 200: successSchema(resellerViewSchema, 'Reseller registered') },
        problems: ['conflict'],
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
        tags: ADMIN_TAGS,
        operationId: 'listResellers',
        summary: 'List and search resellers',
        querystring: resellerListQuerySchema,
        response: { 200: pagedSchema(resellerViewSchema, 'Resellers retrieved') },
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
        tags: ADMIN_TAGS,
        operationId: 'getReseller',
        summary: 'Get a reseller',
        params: resellerParams,
        response: { 200: successSchema(resellerViewSchema, 'Reseller retrieved') },
        problems: ['not_found'],
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
        tags: ADMIN_TAGS,
        operationId: 'updateReseller',
        summary: 'Change, suspend or reinstate a reseller',
        params: resellerParams,
        body: changeResellerSchema,
        response: { 200: successSchema(resellerViewSchema, 'Reseller changed') },
        problems: ['not_found'],
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
}

function unknownTier(tier: string): Problem {
  const message = `There is no tier "${tier}". GET /admin/api/tier lists all.`;
  return new Problem('invalid_request', message, { issues: [{ path: 'tier', message }] });
}
