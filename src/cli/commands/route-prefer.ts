import { type Command, Option } from 'commander';
import type { RoutingRule, ServiceRouting } from '../answers.ts';
import { examples, parseAmount } from '../arguments.ts';
import { money } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { type AdminOptions, openAdminSession, type Session, withAdminOptions } from '../session.ts';
import { renderDetails, renderTable } from '../table.ts';

interface PreferOptions extends AdminOptions {
  by?: RoutingRule['preference'];
  floor?: number;
  belowCost?: boolean;
  asAll?: boolean;
}

const ALL = 'all';
const CHOICE_COLUMNS = [
  { title: '#', align: 'right' as const },
  { title: 'Supplier' },
  { title: 'Item' },
  { title: 'Cost', align: 'right' as const },
  { title: 'State' },
  { title: 'Score', align: 'right' as const },
];

/** `topgate route prefer`: which of the routes is tried first, and which are not worth it. */
export function addPreferCommand(route: Command, deps: ProgramDeps): void {
  withAdminOptions(route.command('prefer').description("show and set which of a service's routes is tried first"))
    .argument('<service>', 'a service code, or "all" for what holds where a service says nothing else')
    .addOption(
      new Option('--by <preference>', 'as listed, by cost, or by cost, success and speed').choices(['fixed', 'cheapest', 'best']),
    )
    .option('--floor <amount>', 'use a route only where the reseller pays its cost and this', parseAmount)
    .option('--below-cost', 'use routes whatever they cost')
    .option('--no-below-cost', 'never sell below cost')
    .option('--as-all', 'let the service follow what holds for all again')
    .addHelpText(
      'after',
      examples('route prefer MLBB-85', 'route prefer MLBB-85 --by best --floor 200', 'route prefer all --by cheapest'),
    )
    .action(async (service: string, options: PreferOptions) => {
      const session = openAdminSession(deps, options);
      if (service === ALL) await preferForAll(session, options);
      else await preferForService(session, service, options);
    });
}

async function preferForAll({ client, output, currency }: Session, options: PreferOptions): Promise<void> {
  const path = '/admin/api/routing';
  const before = (await client.get<RoutingRule>(path)).data;
  const data = isGiven(options)
    ? (await client.send<RoutingRule>('PUT', path, { ...before, ...fieldsOf(options) })).data
    : before;
  output.result(data, () => renderRule(data, currency, output.paint));
}

async function preferForService(session: Session, service: string, options: PreferOptions): Promise<void> {
  const { client, output, currency } = session;
  const path = `/admin/api/service/${encodeURIComponent(service)}/routing`;
  const before = (await client.get<ServiceRouting>(path)).data;
  const { preference, margin_floor, sells_below_cost } = before;
  const own = options.asAll ? {} : { preference, margin_floor, sells_below_cost };
  const data =
    options.asAll || isGiven(options)
      ? (await client.send<ServiceRouting>('PUT', path, { ...own, ...fieldsOf(options) })).data
      : before;
  output.result(data, () =>
    joinBlocks(
      renderRule(data.in_force, currency, output.paint),
      data.choice.length === 0
        ? 'No routes.'
        : renderTable(
            CHOICE_COLUMNS,
            data.choice.map(({ supplier, sku, cost, state, score }, index) => [
              String(index + 1),
              supplier,
              sku,
              money(cost, currency),
              { text: state, tone: state === 'open' ? ('good' as const) : ('warning' as const) },
              score.toFixed(3),
            ]),
            output.paint,
          ),
    ),
  );
}

function isGiven(options: PreferOptions): boolean {
  return Object.keys(fieldsOf(options)).length > 0;
}

function fieldsOf({ by, floor, belowCost }: PreferOptions): Partial<RoutingRule> {
  return {
    ...(by !== undefined && { preference: by }),
    ...(floor !== undefined && { margin_floor: floor }),
    ...(belowCost !== undefined && { sells_below_cost: belowCost }),
  };
}

function renderRule(rule: RoutingRule, currency: string, paint: Session['output']['paint']): string {
  return renderDetails(
    [
      ['Preference', rule.preference],
      ['Margin floor', money(rule.margin_floor, currency)],
      ['Below cost', rule.sells_below_cost ? 'yes' : 'never'],
    ],
    paint,
  );
}
