import { MAX_CALLS_PER_ENDPOINT } from '../../src/webhooks/deliverer.ts';
import type { BenchCase, Context } from '../case.ts';
import { alternate, type Figure, type Side } from '../report/figures.ts';
import type { Engine } from '../system/installations.ts';
import { bareCalls } from '../webhooks/bare-calls.ts';
import { topgateWebhooks } from '../webhooks/topgate-webhooks.ts';

const BACKLOG = 5_000;
const ENDPOINTS = 50;
const HANGING = 5;
const ENGINES: Engine[] = ['postgres', 'embedded'];

/** How fast a backlog is delivered, beside endpoints that hang as well, and how soon a single webhook arrives. */
export const benchCase: BenchCase = {
  name: 'webhooks',
  title: 'Webhooks',
  isLong: true,
  estimate: () => 300,
  async run(context) {
    const one = await measureOne(context);
    const many = await measureMany(context);
    const idle = await measureIdle(context);
    return {
      figures: [...one, ...many, ...idle],
      measured: {},
      notes: [
        `A backlog of ${BACKLOG.toLocaleString('en')} events; the median of 3 rounds after one that does not count. Ratios are to the best bare calls of the same kind.`,
        'One webhook: p50 in ms, from the request that causes it to its receipt, where a higher ratio is slower.',
        '“Twice” counts webhooks that came more than once: allowed, but without a crash there should be none.',
      ],
    };
  },
};

function measureOne(context: Context): Promise<Figure[]> {
  return block(context, 'one endpoint', 'webhooks/s', [
    bareCalls({ endpoints: 1, connections: MAX_CALLS_PER_ENDPOINT, calls: BACKLOG }),
    ...ENGINES.map((engine) => topgateWebhooks(context, { engine, endpoints: 1, hanging: 0, backlog: BACKLOG })),
  ]);
}

function measureMany(context: Context): Promise<Figure[]> {
  return block(context, `${ENDPOINTS} endpoints`, 'webhooks/s', [
    // Topgate's number of connections, and one: with so many endpoints that is faster.
    ...[MAX_CALLS_PER_ENDPOINT, 1].map((connections) => bareCalls({ endpoints: ENDPOINTS, connections, calls: BACKLOG })),
    ...[0, HANGING].flatMap((hanging) =>
      ENGINES.map((engine) => topgateWebhooks(context, { engine, endpoints: ENDPOINTS, hanging, backlog: BACKLOG })),
    ),
  ]);
}

function measureIdle(context: Context): Promise<Figure[]> {
  return block(context, 'one webhook', 'p50 in ms', [
    bareCalls({ endpoints: 1, connections: 1, calls: 1 }),
    ...ENGINES.map((engine) => topgateWebhooks(context, { engine, endpoints: 1, hanging: 0, backlog: null })),
  ]);
}

/** Its sides have rounds of their own, so they are not measured in turn again. */
async function block(context: Context, name: string, unit: string, sides: Side[]): Promise<Figure[]> {
  const figures = await alternate({ ...context, rounds: 1 }, unit, sides);
  return figures.map((figure) => ({ ...figure, subject: `${name}: ${figure.subject}` }));
}
