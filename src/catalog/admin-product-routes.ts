import { z } from 'zod';
import type { TypedApp } from '../http/app.ts';
import { success, successSchema } from '../http/envelope.ts';
import { text } from '../http/fields.ts';
import { actorOf } from '../operators/index.ts';
import { ADMIN_TAGS, type CatalogAdminDeps, savedItem, withoutUndefined } from './admin-parts.ts';
import { adminProductView, adminProductViewSchema, changeProductSchema, createProductSchema } from './contract.ts';
import { changeProduct, createProduct } from './edit-catalog.ts';
import { listProducts } from './store.ts';

/** Products: list, add, change. */
export function addProductRoutes(app: TypedApp, deps: CatalogAdminDeps): void {
  const { timeZone } = deps.view;

  app.get(
    '/admin/api/product',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'listCatalogProducts',
        summary: 'List products',
        response: { 200: successSchema(z.array(adminProductViewSchema), 'Products retrieved') },
      },
    },
    async () =>
      success(
        'Products retrieved',
        (await listProducts(deps.db)).map((product) => adminProductView(product, timeZone)),
      ),
  );

  app.post(
    '/admin/api/product',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'createProduct',
        summary: 'Add a product',
        body: createProductSchema,
        response: { 200: successSchema(adminProductViewSchema, 'Product added') },
        problems: ['conflict'],
      },
    },
    async (request) => {
      const {
        product_code: code,
        product_name: name,
        account_identifier: accountDescription,
        nickname_lookup: nicknameLookup,
        ...rest
      } = request.body;
      const outcome = await createProduct(deps, actorOf(request), { code, name, accountDescription, nicknameLookup, ...rest });
      return success('Product added', adminProductView(savedItem(outcome, `the product ${code}`), timeZone));
    },
  );

  app.patch(
    '/admin/api/product/:product_code',
    {
      schema: {
        tags: ADMIN_TAGS,
        operationId: 'updateProduct',
        summary: 'Change a product',
        params: z.strictObject({ product_code: text(1, 64).meta({ description: 'The product.', examples: ['FF'] }) }),
        body: changeProductSchema,
        response: { 200: successSchema(adminProductViewSchema, 'Product changed') },
        problems: ['not_found'],
      },
    },
    async (request) => {
      const {
        product_name: name,
        account_identifier: accountDescription,
        nickname_lookup: nicknameLookup,
        ...rest
      } = request.body;
      const change = withoutUndefined({ name, accountDescription, nicknameLookup, ...rest });
      const outcome = await changeProduct(deps, actorOf(request), request.params.product_code, change);
      return success('Product changed', adminProductView(savedItem(outcome, 'this product'), timeZone));
    },
  );
}
