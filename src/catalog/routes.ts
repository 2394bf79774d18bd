import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { typed } from '../http/app.ts';
import { callerOf, type Gates } from '../http/caller.ts';
import { success, successSchema } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { Problem } from '../http/problems.ts';
import type { Clock } from '../lib/clock.ts';
import { Closings, type IsSoldNow } from './closings.ts';
import { closedView, productView, productViewSchema, serviceView, serviceViewSchema } from './contract.ts';
import type { Catalog, CatalogCache } from './snapshot.ts';

export interface CatalogRouteDeps {
  catalog: CatalogCache;
  clock: Clock;
  isSoldNow: IsSoldNow;
  gates: Gates;
  view: { timeZone: string };
}

const TAGS = ['Catalogue'];
const MAX_RENDERED = 2_000;

export function catalogRoutes({ catalog, clock, isSoldNow, gates, view }: CatalogRouteDeps) {
  const lists = new RenderedLists();
  const closings = new Closings(clock, isSoldNow);

  return async (fastify: FastifyInstance): Promise<void> => {
    const app = typed(fastify);

    app.get(
      '/api/product',
      {
        onRequest: gates.read,
        schema: {
          tags: TAGS,
          operationId: 'listProducts',
          summary: 'List all products',
          description: 'Every game on the platform. Send the `ETag` back as `If-None-Match`: 304 means nothing has changed.',
          conditional: true,
          response: { 200: successSchema(z.array(productViewSchema), 'Products retrieved successfully') },
        },
      },
      (request, reply) => {
        const current = catalog.current();
        sendList(
          lists.get(current, 'products', () =>
            success('Products retrieved successfully', [...current.products.values()].map(productView)),
          ),
          request,
          reply,
        );
      },
    );

    app.get(
      '/api/service',
      {
        onRequest: gates.read,
        schema: {
          tags: TAGS,
          operationId: 'listServices',
          summary: 'List services with your prices',
          description:
            'All, or those of one product. A service that no supplier would deliver at this moment is `Unavailable`. Send the `ETag` back as `If-None-Match`: 304 means nothing has changed.',
          querystring: z.strictObject({
            product_code: text(1, 64)
              .optional()
              .describe('Services of this product.')
              .meta({ examples: ['MLBB'] }),
          }),
          conditional: true,
          response: { 200: successSchema(z.array(serviceViewSchema), 'Services retrieved successfully') },
          problems: ['product_not_found'],
        },
      },
      (request, reply) => {
        const current = catalog.current();
        const { product_code: productCode } = request.query;
        if (productCode !== undefined && !current.products.has(productCode)) throw new Problem('product_not_found');
        const { tierCode, mode } = callerOf(request);
        const closed = closings.of(current, { mode, tierCode });
        const list = lists.get(current, `services ${tierCode} ${closed.id} ${productCode ?? ''}`, () => {
          const services = productCode === undefined ? [...current.services.values()] : current.servicesOf(productCode);
          return success(
            'Services retrieved successfully',
            services.map((service) => {
              const listed = serviceView(service, current, tierCode, view.timeZone);
              return closed.codes.has(service.code) ? closedView(listed) : listed;
            }),
          );
        });
        sendList(list, request, reply);
      },
    );
  };
}

interface RenderedList {
  body: string;
  etag: string;
}

/** Lists rendered once per catalogue and tier: the same bytes for everybody who asks, and an ETag made from them. */
class RenderedLists {
  #catalog: Catalog | null = null;
  readonly #lists = new LRUCache<string, RenderedList>({ max: MAX_RENDERED });

  get(catalog: Catalog, key: string, render: () => object): RenderedList {
    if (this.#catalog !== catalog) {
      this.#lists.clear();
      this.#catalog = catalog;
    }
    const known = this.#lists.get(key);
    if (known) return known;
    const body = JSON.stringify(render());
    const list = { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` };
    this.#lists.set(key, list);
    return list;
  }
}

function sendList({ body, etag }: RenderedList, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  if (isKnown(etag, request.headers['if-none-match'])) {
    reply.code(304).send();
    return;
  }
  reply.type('application/json; charset=utf-8').serializer(asIs).send(body);
}

/** The header is one tag, nearly always; it may be a list, its tags may be marked as weak, and `*` is any. */
function isKnown(etag: string, header: string | undefined): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header.split(',').some((tag) => [etag, '*'].includes(tag.trim().replace(/^W\//, '')));
}

function asIs(body: unknown): string {
  return body as string;
}
