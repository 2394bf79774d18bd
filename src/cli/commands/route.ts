import { type Command, InvalidArgumentError } from 'commander';
import type { Route } from '../answers.ts';
import { examples } from '../arguments.ts';
import { money } from '../format.ts';
import type { ProgramDeps } from '../installation.ts';
import { joinBlocks } from '../output.ts';
import { type AdminOptions, openAdminSession, withAdminOptions } from '../session.ts';
import { type Paint, renderTable } from '../table.ts';

const COLUMNS = [
  { title: '#', align: 'right' as const },
  { title: 'Supplier' },
  { title: 'Item' },
  { title: 'Cost', align: 'right' as const },
  { title: 'Account as' },
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
    .addHelpText(
      'after',
      examples('route set MLBB-85 acme:ML85:22500 backup:mlbb_85:22900', 'route set MLBB-85 "acme:ML85:22500:{user_id}|{zone}"'),
    )
    .action(async (service: string, routes: Route[], options: AdminOptions) => {
      const { client, output, currency } = openAdminSession(deps, options);
      const { data, message } = await client.send<Route[]>('PUT', pathOf(service), routes);
      output.result(data, () => joinBlocks(`${message}.`, renderRoutes(data, currency, output.paint)));
    });
}

function collectRoute(text: string, before: Route[] | undefined): Route[] {
  const [supplier, sku, cost, ...template] = text.split(':');
  if (!supplier || !sku || !cost || !/^[0-9]{1,15}$/.test(cost))
    throw new InvalidArgumentError('Write a route as supplier:item:cost, e.g. acme:ML85:22500.');
  const route = { supplier, sku, cost: Number(cost), ...(template.length > 0 && { account_template: template.join(':') }) };
  return [...(before ?? []), route];
}

function renderRoutes(routes: Route[], currency: string, paint: Paint): string {
  if (routes.length === 0) return NO_ROUTES;
  return renderTable(
    COLUMNS,
    routes.map(({ supplier, sku, cost, account_template }, index) => [
      String(index + 1),
      supplier,
      sku,
      money(cost, currency),
      account_template ?? '',
    ]),
    paint,
  );
}

function pathOf(service: string): string {
  return `/admin/api/service/${encodeURIComponent(service)}/route`;
}
