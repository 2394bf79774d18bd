import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { z } from 'zod';
import type { Db } from '../db/database.ts';
import type { RevisionWatch } from '../db/revisions.ts';
import { inTransaction } from '../db/transaction.ts';
import { type TypedApp, typed } from '../http/app.ts';
import { pagedSchema, pagedSuccess, success, successSchema } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import type { Clock } from '../lib/clock.ts';
import { mapPage } from '../lib/page.ts';
import { auditEntryView, auditEntryViewSchema, auditQuerySchema } from './audit-contract.ts';
import { recordAction } from './audit-log.ts';
import { listActions } from './audit-store.ts';
import { actorOf } from './gate.ts';
import { type Settings, saveMaintenance } from './settings.ts';

const maintenanceSchema = z
  .strictObject({
    enabled: z.boolean(),
    message: text(1, 256).default('The service is under maintenance. Try again later.').describe('Told to resellers meanwhile.'),
  })
  .meta({ examples: [{ enabled: true, message: 'We move to a new machine until 04:00.' }] });

export function operatorAdminRoutes(deps: {
  db: Db;
  clock: Clock;
  revisions: RevisionWatch;
  settings: Settings;
  adminGate: onRequestAsyncHookHandler;
  view: { timeZone: string };
}) {
  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);
    app.addHook('onRequest', deps.adminGate);
    addAuditRoute(app, deps);
    const schema = { tags: ['Operation'], response: { 200: successSchema(maintenanceSchema, 'Maintenance retrieved') } };

    app.get(
      '/admin/api/maintenance',
      { schema: { ...schema, operationId: 'getMaintenance', summary: 'Whether the reseller interface is closed' } },
      async () => success('Maintenance retrieved', deps.settings.maintenance()),
    );

    app.put(
      '/admin/api/maintenance',
      {
        schema: {
          ...schema,
          operationId: 'setMaintenance',
          summary: 'Close or open the reseller interface',
          description: 'Orders in process go on either way.',
          body: maintenanceSchema,
        },
      },
      async (request) => {
        await inTransaction(deps.db, async (tx) => {
          await saveMaintenance(tx, deps.clock, request.body);
          await recordAction(tx, deps.clock, actorOf(request), {
            action: 'maintenance.set',
            subject: 'service',
            details: request.body,
          });
        });
        await deps.revisions.check();
        return success(
          request.body.enabled ? 'The reseller interface is closed' : 'The reseller interface is open',
          deps.settings.maintenance(),
        );
      },
    );
  };
}

/** Who did what, and when. */
function addAuditRoute(app: TypedApp, { db, view }: { db: Db; view: { timeZone: string } }): void {
  app.get(
    '/admin/api/audit',
    {
      schema: {
        tags: ['Operation'],
        operationId: 'listAuditLog',
        summary: 'What operators did, and what the service did by itself',
        description: 'Newest first. Entries are written with what they tell, and are never changed.',
        querystring: auditQuerySchema,
        response: { 200: pagedSchema(auditEntryViewSchema, 'Audit log retrieved') },
      },
    },
    async (request) => {
      const page = await listActions(db, request.query);
      return pagedSuccess(
        'Audit log retrieved',
        mapPage(page, (entry) => auditEntryView(entry, view.timeZone)),
      );
    },
  );
}
