import { BARE_FASTIFY, bareFastify, bareOrdersFor } from '../baselines/bare-fastify.ts';
import { BASELINE_CONNECTIONS, ONE_BY_ONE, oneByOne } from '../baselines/one-by-one.ts';
import { findPgbench, pgbench } from '../baselines/pgbench.ts';
import { rawEngine, rawSubject } from '../baselines/raw-engine.ts';
import { type BenchCase, CONNECTIONS } from '../case.ts';
import { alternate, best } from '../report/figures.ts';
import { chooseEvenly, estimateSides, topgateOrders } from '../system/order-sides.ts';
import { judgeRatio } from '../targets.ts';

const RESELLERS = 100;
/** One connection shows what batching does for a single client: nothing. */
const WITH_ONE = [1, ...CONNECTIONS];
const ON_POSTGRES = 'Topgate, PostgreSQL, ROLE=api';
const WITH_DELIVERY = 'Topgate, PostgreSQL, ROLE=all';
const EMBEDDED = 'Topgate, embedded, ROLE=all';

/** The main case: orders of 100 resellers, beside everything that could do the same. */
export const benchCase: BenchCase = {
  name: 'orders-spread',
  title: 'Orders of 100 resellers',
  isLong: false,
  estimate: (plan) => estimateSides(plan, 20),
  async run(context) {
    const pgbenchVersion = findPgbench();
    const usual = { resellers: RESELLERS, connections: BASELINE_CONNECTIONS };
    const topgate = { resellers: RESELLERS, connections: WITH_ONE };
    const figures = await alternate(context, 'orders/s', [
      oneByOne(context, { ...usual, connections: [1, ...BASELINE_CONNECTIONS], choose: chooseEvenly }),
      topgateOrders(context, { subject: ON_POSTGRES, engine: 'postgres', roles: ['api'], ...topgate }),
      ...(pgbenchVersion === null ? [] : [pgbench(context, usual)]),
      topgateOrders(context, { subject: EMBEDDED, engine: 'embedded', roles: ['all'], ...topgate }),
      bareFastify(context, { connections: CONNECTIONS, requests: bareOrdersFor(context), isBaseline: false }),
      topgateOrders(context, {
        subject: WITH_DELIVERY,
        engine: 'postgres',
        roles: ['all'],
        resellers: RESELLERS,
        connections: [64, 256],
      }),
      rawEngine(context, { engine: 'postgres', resellers: RESELLERS }),
      rawEngine(context, { engine: 'embedded', resellers: RESELLERS }),
    ]);
    return {
      figures,
      measured: {
        spread: judgeRatio('spread', figures, ON_POSTGRES, ONE_BY_ONE),
        embedded: judgeRatio('embedded', figures, EMBEDDED, ONE_BY_ONE),
        http: judgeRatio('http', figures, ON_POSTGRES, BARE_FASTIFY),
      },
      notes: [
        pgbenchVersion ?? 'pgbench is not on the PATH, so baseline (b) was left out.',
        `Of what the database alone writes in batches, PostgreSQL: ${share(ON_POSTGRES, 'postgres')}, embedded: ${share(EMBEDDED, 'embedded')}.`,
      ],
    };

    function share(subject: string, engine: 'embedded' | 'postgres'): string {
      return `${Math.round((best(figures, subject).value / best(figures, rawSubject(engine)).value) * 100)} %`;
    }
  },
};
