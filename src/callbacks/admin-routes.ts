import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import type { SupplierRegistry } from '../connections/index.ts';
import type { Db } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { typed } from '../http/app.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { Problem } from '../http/problems.ts';
import type { Clock } from '../lib/clock.ts';
import { mapPage } from '../lib/page.ts';
import { type Actor, actorOf, recordAction } from '../operators/index.ts';
import type { Callback } from './callback.ts';
import { callbackListQuerySchema, callbackParamsSchema, callbackView, callbackViewSchema } from './contract.ts';
import { listCallbacks, lockCallback, markReceived } from './store.ts';

export interface CallbackAdminDeps {
  db: Db;
  clock: Clock;
  registry: SupplierRegistry;
  view: { timeZone: string };
  adminGate: onRequestAsyncHookHandler;
  /** Called when a message is to be worked off again. */
  wakeCallbacks: () => void;
}

const TAGS = ['Suppliers'];

export function callbackAdminRoutes(deps: CallbackAdminDeps) {
  const { db, registry, view } = deps;
  const toView = (callback: Callback) => {
    const { redact } = registry.connection(callback.supplierCode);
    return callbackView(callback, { timeZone: view.timeZone, redact });
  };

  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);

    app.get(
      '/admin/api/callback',
      {
        schema: {
          tags: TAGS,
          operationId: 'listSupplierCallbacks',
          summary: 'What suppliers told unasked',
          description: 'Newest first, of the last 30 days. Of messages that are no hints, the last 200 of each supplier.',
          querystring: callbackListQuerySchema,
          response: { 200: pagedSchema(callbackViewSchema, 'Callbacks retrieved') },
        },
      },
      async (request) => pagedSuccess('Callbacks retrieved', mapPage(await listCallbacks(db, request.query), toView)),
    );

    app.post(
      '/admin/api/callback/:callback_id/retry',
      {
        schema: {
          tags: TAGS,
          operationId: 'retrySupplierCallback',
          summary: 'Work a message off once more',
          params: callbackParamsSchema,
          response: { 200: successSchema(callbackViewSchema, 'The message is worked off again') },
          problems: ['not_found', 'conflict'],
        },
      },
      async (request) => {
        const retried = await retryCallback(deps, actorOf(request), request.params.callback_id);
        if (retried === 'not_found') throw new Problem('not_found');
        if (retried === 'not_possible')
          throw new Problem('conflict', 'Only hints can be worked off; this message is none, so it tells nothing to ask about.');
        deps.wakeCallbacks();
        return success('The message is worked off again', toView(retried));
      },
    );
  };
}

async function retryCallback(
  { db, clock }: Pick<CallbackAdminDeps, 'db' | 'clock'>,
  actor: Actor,
  id: string,
): Promise<Callback | 'not_found' | 'not_possible'> {
  if (id === '') return 'not_found';
  return inTransaction(db, async (tx) => {
    const callback = await lockCallback(tx, id);
    if (callback === null) return 'not_found';
    if (callback.reading !== 'hint') return 'not_possible';
    await markReceived(tx, id, clock.now());
    await recordAction(tx, clock, actor, { action: 'callback.retry', subject: id });
    return { ...callback, state: 'Received' as const };
  });
}
