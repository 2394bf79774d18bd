import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { TypedApp } from './app.ts';

/** What every import of a CSV file has in common: the file as it is or within JSON, and a dry run. */

export const IMPORT_LIMIT_BYTES = 16 * 1024 * 1024;

export const CSV_TYPES = ['text/csv', 'application/json'];

export const csvImportQuery = z.strictObject({
  dry_run: z
    .stringbool()
    .default(false)
    .meta({ type: 'boolean', description: '`true`: change nothing, tell what would change.' }),
});

/** The body of an import, with a file to show how it looks. */
export function csvImportBody(example: string) {
  return z
    .union([z.string(), z.strictObject({ csv: z.string(), dry_run: z.boolean().optional() })])
    .meta({ examples: [{ csv: example, dry_run: true }] });
}

/** Reads bodies of the type `text/csv` in this part of the application. */
export function acceptCsv(app: TypedApp): void {
  app.addContentTypeParser('text/csv', { parseAs: 'string', bodyLimit: IMPORT_LIMIT_BYTES }, (_request, body, done) =>
    done(null, body),
  );
}

/** The file that was sent, and whether it is only to be tried. */
export function readCsvImport(request: {
  body: string | { csv: string; dry_run?: boolean | undefined };
  query: { dry_run: boolean };
}): { csv: string; dryRun: boolean } {
  const { body, query } = request;
  if (typeof body === 'string') return { csv: body, dryRun: query.dry_run };
  return { csv: body.csv, dryRun: query.dry_run || body.dry_run === true };
}

/** What an import answers, by whether it was only tried. */
export function importMessage(dryRun: boolean, done: string): string {
  return dryRun ? 'Nothing was changed; this is what an import would do' : done;
}

export function sendCsv(reply: FastifyReply, filename: string, csv: string): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${filename}"`)
    .serializer(String)
    .send(csv);
}
