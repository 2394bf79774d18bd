import { type Command, InvalidArgumentError } from 'commander';
import type { Route } from '../answers.ts';
import { examples } from '../arguments.ts';
import { CommandError } from '../errors.ts';
import { money } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { type Paint, renderTable } from '../table.ts';
import { addRouteFileCommands } from './route-file.ts';
import { addPreferCommand } from './route-prefer.ts';

const COLUMNS = [
  { title: '#', align: 'right' as const },
  { title: 'Supplier' },
  { title: 'Item' },
  { title: 'Cost', align: 'right' as const },
  { title: 'Account as' },
  { title: 'Besides' },
];
const NO_ROUTES = 'No routes: live orders of this service go to the sandbox, which delivers nothing real.';

/** `topgate route …`: which supplier delivers a service, in order of preference. */
export function addRouteCommands(program: Command, deps: ProgramDeps): void {
  const route = program.command('route').description('show and set which suppliers deliver a service');

  withAdminOptions(route.command('show').description('the routes of a service, in order of preference'))
    .argument('<service>', 'a service code')
    .addHelpText('after', examples('route show MLBB-85'))
    .action(async (service: string, options: AdminOptions) => {
      const { client, output, currency } = openAdminSession(deps, options);
      const { data } = await client.get<Route[]>(pathOf(service));
      output.result(data, () => renderRoutes(data, currency, output.paint));
    });

  withAdminOptions(route.command('set').description('replace the routes of a service; none at all removes them'))
    .argument('<service>', 'a service code')
    .argument('[route...]', 'supplier:item:cost or supplier:item:cost:account, the preferred one first', collectRoute)
    .option('--once-per-day <item>', 'an item that a player may have only once a day', collectText)
    .option('--cut-off <item=from-to>', 'an item that is not sold at some time of the day', collectCutOff)
    .addHelpText(
      'after',
      examples(
        'route set MLBB-85 acme:ML85:22500 backup:mlbb_85:22900',
        'route set MLBB-85 "acme:ML85:22500:{user_id}|{zone}"',
        'route set MLBB-85 acme:ML85:22500 --cut-off ML85=23:30-00:30',
      ),
    )
    .action(async (service: string, routes: Route[], options: SetOptions) => {
      const { client, output, currency } = openAdminSession(deps, options);
      const { data, message } = await client.send<Route[]>('PUT', pathOf(service), withTerms(routes, options));
      output.result(data, () => joinBlocks(`${message}.`, renderRoutes(data, currency, output.paint)));
    });

  addPreferCommand(route, deps);
  addRouteFileCommands(route, deps);
}

interface CutOff {
  sku: string;
  start: string;
  end: string;
}

interface SetOptions extends AdminOptions {
  oncePerDay?: string[];
  cutOff?: CutOff[];
}

function collectText(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text];
}

function collectCutOff(text: string, before: CutOff[] | undefined): CutOff[] {
  const [, sku, start, end] = /^(.+)=(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  if (!sku || !start || !end) throw new InvalidArgumentError('Write it as item=from-to, e.g. ML85=23:30-00:30.');
  return [...(before ?? []), { sku, start, end }];
}

/** The routes with what the options say about their items; an item that no route has is a mistake. */
function withTerms(routes: Route[], { oncePerDay = [], cutOff = [] }: SetOptions): Route[] {
  const skus = new Set(routes.map(({ sku }) => sku));
  const stray = [...oncePerDay, ...cutOff.map(({ sku }) => sku)].find((sku) => !skus.has(sku));
  if (stray !== undefined) throw new CommandError(`No route has the item ${stray}.`);
  return routes.map((route) => {
    const window = cutOff.find(({ sku }) => sku === route.sku);
    return {
      ...route,
      once_per_day: oncePerDay.includes(route.sku),
      ...(window && { cut_off: { start: window.start, end: window.end } }),
    };
  });
}

/** Items of some suppliers have a colon and numbers in them, so the cost is the last part that is a number. */
const ROUTE = /^([^:]+):(.+):([0-9]{1,15})(?::(.*))?$/;

function collectRoute(text: string, before: Route[] | undefined): Route[] {
  const [, supplier, sku, cost, template] = ROUTE.exec(text) ?? [];
  if (!supplier || !sku || !cost) throw new InvalidArgumentError('Write a route as supplier:item:cost, e.g. acme:ML85:22500.');
  const route = { supplier, sku, cost: Number(cost), ...(template !== undefined && { account_template: template }) };
  return [...(before ?? []), route];
}

function renderRoutes(routes: Route[], currency: string, paint: Paint): string {
  if (routes.length === 0) return NO_ROUTES;
  const table = renderTable(
    COLUMNS,
    routes.map((route, index) => [
      String(index + 1),
      route.supplier,
      route.sku,
      money(route.cost, currency),
      route.account_template ?? '',
      besides(route),
    ]),
    paint,
  );
  const warnings = routes.flatMap(({ warning }) => (warning ? [paint('warning', warning)] : []));
  return joinBlocks(table, warnings.length === 0 ? null : warnings.join('\n'));
}

function besides({ available, once_per_day, cut_off }: Route): string {
  return [
    available === false && 'not for sale',
    once_per_day && 'once a day',
    cut_off && `not from ${cut_off.start} to ${cut_off.end}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function pathOf(service: string): string {
  return `/admin/api/service/${encodeURIComponent(service)}/route`;
}
