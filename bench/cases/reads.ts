import { BARE_FASTIFY, type Bare, loadBare, withBareFastify } from '../baselines/bare-fastify.ts';
import type { BareRead } from '../baselines/bare-fastify-process.ts';
import type { BenchCase, Context } from '../case.ts';
import type { Arrivals, Requests } from '../load/task.ts';
import { alternate, type Figure, type Sample } from '../report/figures.ts';
import { connectionsText, type Topgate, toSample, withTopgate } from '../system/topgate.ts';
import { judgeRatio } from '../targets.ts';

/** Two are enough to see whether more help; the answers come from memory. */
const CONNECTIONS = [16, 64];
/** Little is to be warmed up here after the first of them. */
const WARM_UP_MS = 500;
const READS = 5;
const KNOWN_ORDERS = 2_000;
const SERVICES_UNCHANGED = 'GET /api/service, unchanged (304)';

interface Read {
  name: string;
  requests: Extract<Requests, { kind: 'reads' }>;
  /** What the bare server answers to it. */
  bare: BareRead;
}

/** Questions: each beside bare Fastify, which answers the same bytes from memory. */
export const benchCase: BenchCase = {
  name: 'reads',
  title: 'Reads',
  isLong: false,
  estimate: (plan) => 10 + plan.rounds * READS * 2 * CONNECTIONS.length * (readSeconds(plan.seconds) + WARM_UP_MS / 1_000),
  async run(context) {
    const short = { ...context, seconds: readSeconds(context.seconds) };
    const figures = await withTopgate(context, { engine: 'postgres', roles: ['api'], resellers: 1 }, async (topgate) => {
      const reads = await prepare(topgate);
      return withBareFastify([...new Map(reads.map(({ bare }) => [bare.path, bare])).values()], async (bare) => {
        const found: Figure[] = [];
        for (const read of reads) found.push(...(await measure(short, topgate, bare, read)));
        return found;
      });
    });
    const service = judgeRatio('service', figures, SERVICES_UNCHANGED, `${SERVICES_UNCHANGED}: ${BARE_FASTIFY}`);
    return { figures, measured: { service }, notes: ['Topgate with PostgreSQL, ROLE=api.'] };
  },
};

/** Reads settle quickly and there are many of them, so each has half the time. */
function readSeconds(seconds: number): number {
  return Math.max(1, Math.floor(seconds / 2));
}

function measure(context: Context, topgate: Topgate, bare: Bare, { name, requests }: Read): Promise<Figure[]> {
  const each = async (run: (connections: number) => Promise<Sample>) => {
    const samples: Sample[] = [];
    for (const connections of CONNECTIONS) samples.push(await run(connections));
    return samples;
  };
  const measureMs = context.seconds * 1_000;
  const arrivals: Arrivals = { kind: 'closed', warmUpMs: WARM_UP_MS, measureMs, limit: null, pauseMs: 0 };
  return alternate(context, 'answers/s', [
    {
      subject: `${name}: ${BARE_FASTIFY}`,
      isBaseline: true,
      measure: () => each((connections) => loadBare(context, bare, { connections, arrivals, requests })),
    },
    {
      subject: name,
      isBaseline: false,
      measure: () =>
        each(async (connections) =>
          toSample(await topgate.read({ connections, arrivals, requests }), connectionsText(connections)),
        ),
    },
  ]);
}

/** Asks Topgate once for everything, so that the bare server can answer the same. */
async function prepare(topgate: Topgate): Promise<Read[]> {
  const arrivals = { kind: 'closed', warmUpMs: 0, measureMs: 60_000, limit: KNOWN_ORDERS, pauseMs: 0 } as const;
  const { refId } = await topgate.order({ connections: 16, arrivals });
  const statusPaths = Array.from({ length: KNOWN_ORDERS }, (_, number) => `/api/order/status?ref_id=${refId(number)}`);
  const read = async (name: string, paths: string[], more: { keepsTag?: boolean; isUnchanged?: boolean } = {}): Promise<Read> => {
    const { token, body, etag } = await askOnce(topgate, paths[0] ?? '');
    return {
      name,
      requests: { kind: 'reads', token, paths, etag: more.isUnchanged ? etag : null, status: more.isUnchanged ? 304 : 200 },
      bare: { path: (paths[0] ?? '').split('?', 1)[0] ?? '', body, etag: more.keepsTag ? etag : null },
    };
  };
  return [
    await read(SERVICES_UNCHANGED, ['/api/service'], { keepsTag: true, isUnchanged: true }),
    await read('GET /api/service, all of it', ['/api/service'], { keepsTag: true }),
    await read('GET /api/order/status', statusPaths),
    await read('GET /api/account', ['/api/account']),
    await read('GET /api/nickname, remembered', ['/api/nickname/MLBB?user_id=123450001&zone=2001']),
  ];
}

async function askOnce({ server, installation }: Topgate, url: string) {
  const token = installation.resellers[0]?.token ?? '';
  const response = await fetch(`http://127.0.0.1:${server.port}${url}`, { headers: { authorization: `Bearer ${token}` } });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${url} was answered ${response.status}: ${body}`);
  return { token, body, etag: response.headers.get('etag') };
}
