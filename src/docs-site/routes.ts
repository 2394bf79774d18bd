import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../http/problems.ts';
import { notFoundHtml } from './layout.ts';
import type { ApiDescription } from './reference.ts';
import { findScalar, type SiteDocument, siteDocuments } from './site.ts';

export interface DocsSiteOptions {
  version: string;
  /** Scalar's bundled file; by default the installed one, null for none. */
  scalarFile?: string | null;
}

/** A document as it is sent. */
interface Rendered {
  body: Buffer;
  compressed: Buffer;
  etag: string;
}

const compress = promisify(gzip);

/** Nothing but our own files, and nothing inline: whatever text ends up in a page, it cannot become a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
const LOOSE_STYLE_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
  "img-src 'self'",
  "img-src 'self' data: blob:",
);

/** `/docs`, everything below it, and `/llms.txt`: without a token, and without any other host. */
export function serveDocsSite(app: FastifyInstance, { version, scalarFile = findScalar() }: DocsSiteOptions): void {
  const documents = siteDocuments({ version, scalarFile, describe: () => app.apiDescription() as ApiDescription });
  const rendered = new Map<string, Promise<Rendered>>();
  const renderOnce = (address: string, document: SiteDocument) => {
    const known = rendered.get(address);
    if (known) return known;
    const rendering = render(document);
    rendered.set(address, rendering);
    // What failed once, for instance for want of a file handle, may succeed the next time.
    rendering.catch(() => rendered.delete(address));
    return rendering;
  };

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const address = request.url.split('?', 1)[0] ?? '';
    const document = documents.get(address);
    if (document) return sendDocument(request, reply, document, await renderOnce(address, document));
    const withoutSlash = address.replace(/\/+$/, '');
    if (documents.has(withoutSlash)) return reply.redirect(withoutSlash, 308);
    return sendNotFound(request, reply, address);
  };
  for (const url of ['/docs', '/docs/*', '/llms.txt']) app.get(url, { schema: { hide: true } }, answer);
}

async function render(document: SiteDocument): Promise<Rendered> {
  const body = Buffer.from(document.render());
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  // Weak, as it stands for both encodings. The address keeps its name over versions, so every use asks whether it is still right.
  return { body, compressed: await compress(body), etag: `W/"${digest}"` };
}

function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: SiteDocument,
  { body, compressed, etag }: Rendered,
) {
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding', ...safetyHeaders(document.looseStyle) });
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim()) ?? [];
  if (known.includes(etag) || known.includes('*')) return reply.code(304).send();
  reply.type(document.type);
  if (!acceptsGzip(request)) return reply.send(body);
  return reply.header('content-encoding', 'gzip').send(compressed);
}

/** A page for people; programs get the error they know. */
function sendNotFound(request: FastifyRequest, reply: FastifyReply, address: string) {
  if (!request.headers.accept?.includes('text/html')) throw new Problem('route_not_found', `There is no page ${address}.`);
  return reply
    .code(404)
    .headers(safetyHeaders())
    .type('text/html; charset=utf-8')
    .serializer(String)
    .send(notFoundHtml(address.startsWith('/docs/id/') ? 'id' : 'en'));
}

function safetyHeaders(looseStyle = false) {
  return {
    'content-security-policy': looseStyle ? LOOSE_STYLE_POLICY : POLICY,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

function acceptsGzip(request: FastifyRequest): boolean {
  const encodings = request.headers['accept-encoding'];
  return typeof encodings === 'string' && /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(encodings);
}
