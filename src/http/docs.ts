import type { FastifyInstance } from 'fastify';

interface Operation {
  summary?: string;
  description?: string;
  tags?: string[];
}

const STYLE = `
  :root { color-scheme: light dark; --line: light-dark(#d8dee6, #333b46); --soft: light-dark(#5a6573, #9aa7b6); --code: light-dark(#f2f5f8, #1c222a); }
  body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; background: light-dark(#fff, #12161b); color: light-dark(#17202a, #e4eaf1); }
  h1 { margin-bottom: .2rem } h2 { margin-top: 2.4rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; font-size: 1.15rem }
  dl { margin: 0 } dt { margin-top: 1rem; font-family: ui-monospace, monospace; font-size: .9rem; overflow-wrap: anywhere }
  dt b { display: inline-block; min-width: 4.2rem } dd { margin: .15rem 0 0; color: var(--soft) }
  pre { background: var(--code); padding: .8rem 1rem; border-radius: .5rem; overflow-x: auto; font-size: .85rem } a { color: light-dark(#0b5cad, #7db7f5) }`;

/** `GET /docs`: every path with what it does, made from the routes themselves, readable without a network. */
export function serveDocs(app: FastifyInstance): void {
  app.get('/docs', { schema: { hide: true } }, async (_request, reply) => {
    const document = app.swagger() as { paths?: Record<string, Record<string, Operation>> };
    const html = render(document.paths ?? {});
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .serializer(String)
      .send(html);
  });
}

function render(paths: Record<string, Record<string, Operation>>): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = Map.groupBy(rows, ({ operation }) => operation.tags?.[0] ?? 'Other');
  const sections = [...groups].map(
    ([tag, entries]) => `<h2>${escapeHtml(tag)}</h2><dl>${entries.map(renderEntry).join('')}</dl>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Topgate API</title><style>${STYLE}</style>
<h1>Topgate API</h1>
<p>JSON over HTTP with a bearer token. The whole description for programs: <a href="/openapi.json">/openapi.json</a>.
States, error codes and events with their meanings: <a href="/api/reference/status-code">/api/reference/status-code</a>.</p>
<h2>Signing an order</h2>
<p>The <code>signature</code> of an order is the lower-case hex of HMAC-SHA256 with your signing secret over these values, joined by line feeds:</p>
<pre>service_code
ref_id
user_id
zone
max_price      (this line only if the request has it)</pre>
<p>Examples to check yours against: <a href="/api/reference/signature">/api/reference/signature</a>. With a test token, <code>POST /api/reference/signature</code>
shows what the server would have signed. The same <code>ref_id</code> never buys twice, so after a timeout simply send the same request again.</p>
${sections.join('\n')}</html>`;
}

function renderEntry({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const text = [operation.summary, operation.description].filter(Boolean).join('. ');
  return `<dt><b>${method.toUpperCase()}</b> ${escapeHtml(path)}</dt><dd>${withCode(escapeHtml(text))}</dd>`;
}

/** What stands between backticks is code, as in the descriptions it comes from. */
function withCode(html: string): string {
  return html.replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
