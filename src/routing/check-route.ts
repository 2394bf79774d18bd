import { checkTemplate, type SupplierKind } from '../suppliers/index.ts';
import type { Route } from './route.ts';

/** What a route has to fit. */
export interface RouteSurroundings {
  kind: SupplierKind;
  /** How accounts at the supplier are written where the route says nothing else; null: in parts, as they are. */
  standardTemplate: string | null;
  /** Players of the product cannot be told apart without their zone. */
  needsZone: boolean;
}

/** What is wrong with a route, by field; null when it fits. What it gets wrong would be delivered to somebody else. */
export function checkRoute(route: Route, surroundings: RouteSurroundings): { field: string; message: string } | null {
  const { kind, standardTemplate, needsZone } = surroundings;
  if (kind.skuForm && !kind.skuForm.pattern.test(route.sku))
    return { field: 'sku', message: `An item of ${kind.label} ${kind.skuForm.message}; ${route.sku} is none.` };
  const own = route.accountTemplate === null ? null : checkTemplate(kind, route.accountTemplate);
  if (own !== null) return { field: 'account_template', message: own };
  const template = route.accountTemplate ?? standardTemplate;
  if (template !== null && needsZone && !template.includes('{zone}'))
    return {
      field: 'account_template',
      message: `The account would be written as ${template}, without {zone}, and players of this product have one.`,
    };
  return null;
}
