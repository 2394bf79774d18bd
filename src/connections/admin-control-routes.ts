import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { unreachable } from '../lib/assert.ts';
import { toJsonAmount } from '../lib/money.ts';
import { actorOf } from '../operators/index.ts';
import {
  ADMIN_TAGS,
  requireSupplier,
  type SupplierAdminDeps,
  savedSupplier,
  supplierParams,
  viewSupplier,
} from './admin-parts.ts';
import { setSupplierStatus } from './configure-supplier.ts';
import { supplierViewSchema } from './contract.ts';
import { readBalance } from './read-balance.ts';

const testViewSchema = z
  .object({ ok: z.boolean(), balance: z.int().nullable(), message: z.string() })
  .meta({ id: 'SupplierTest', examples: [{ ok: true, balance: 48_250_000, message: 'The supplier told our balance.' }] });

/** Suppliers at work: pausing them, letting them work again, and asking them something harmless. */
export function addControlRoutes(app: TypedApp, deps: SupplierAdminDeps): void {
  for (const [verb, summary, status, message] of [
    ['pause', 'Pause a supplier', 'Paused', 'Supplier paused'],
    ['resume', 'Let a supplier work again, whatever held it', 'Active', 'Supplier works again'],
  ] as const) {
    app.post(
      `/admin/api/supplier/:code/${verb}`,
      {
        schema: {
          tags: ADMIN_TAGS,
          operationId: `${verb}Supplier`,
          summary,
          params: supplierParams,
          response: { 200: successSchema(supplierViewSchema, message) },
          problems: ['not_found'],
        },
      },
      async (request) => {
        const outcome = await setSupplierStatus(deps, actorOf(request), request.params.code, status);
        return success(message, viewSupplier(deps, savedSupplier(outcome)));
      },
    );
  }

  app.post(
    '/admin/api/supplier/:code/test',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'testSupplier',
        summary: 'Ask the supplier something harmless',
        description: 'Reads our balance and keeps it. When the supplier was on hold for a reason that is gone, the hold ends.',
        params: supplierParams,
        response: { 200: successSchema(testViewSchema, 'The supplier answered') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      await requireSupplier(deps, request.params.code);
      const outcome = await readBalance(deps, request.params.code);
      switch (outcome.kind) {
        case 'known':
          return success('The supplier answered', {
            ok: true,
            balance: outcome.balance === null ? null : toJsonAmount(outcome.balance),
            message: 'The supplier told our balance.',
          });
        case 'not_supported':
          return success('Nothing to ask', { ok: true, balance: null, message: 'This kind tells no balance; it is ready.' });
        case 'unknown':
          return success('The supplier did not answer', { ok: false, balance: null, message: outcome.reason });
        default:
          return unreachable(outcome);
      }
    },
  );
}
