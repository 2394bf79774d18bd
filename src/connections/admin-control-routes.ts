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
import { testAccount } from './read-balance.ts';

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
        return success(message, await viewSupplier(deps, savedSupplier(outcome)));
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
        description:
          'Reads our balance and keeps it; where no balance is told, the price list of nothing. A hold that this answer refutes ends; an account that the supplier does not accept begins one.',
        params: supplierParams,
        response: { 200: successSchema(testViewSchema, 'The supplier was tested') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      await requireSupplier(deps, request.params.code);
      const {
        ok,
        balance = null,
        message,
      } = describeTest(deps, request.params.code, await testAccount(deps, request.params.code));
      return success(ok ? 'The supplier was tested' : 'The test failed', { ok, balance, message });
    },
  );
}

/** What a test showed, in words for an operator. */
function describeTest(
  { registry }: SupplierAdminDeps,
  code: string,
  outcome: Awaited<ReturnType<typeof testAccount>>,
): { ok: boolean; balance?: number | null; message: string } {
  switch (outcome.kind) {
    case 'known': {
      if (outcome.balance !== null)
        return { ok: true, balance: toJsonAmount(outcome.balance), message: 'The supplier told our balance.' };
      const setting = registry.connection(code).kind.fields.find(({ key }) => ['exchange_rate', 'currency'].includes(key));
      const remedy = setting ? `, see the setting ${setting.key}` : '';
      return { ok: true, message: `The supplier accepts our account, but told no balance in our currency${remedy}.` };
    }
    case 'accepted':
      return { ok: true, message: 'The supplier accepts our account. This kind tells no balance.' };
    case 'not_supported':
      return { ok: true, message: 'Nothing was tried: this kind can be asked nothing harmless.' };
    case 'misconfigured':
      return { ok: false, message: `The supplier does not accept our account, and is on hold: ${outcome.detail}` };
    case 'unknown':
      return { ok: false, message: `The supplier gave no answer that can be used: ${outcome.reason}` };
    default:
      return unreachable(outcome);
  }
}
