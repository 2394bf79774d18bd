import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { callbackViewSchema } from '../callbacks/contract.ts';
import type { supplierKindViewSchema, supplierViewSchema } from '../connections/contract.ts';
import type { transferViewSchema } from '../ledger/contract.ts';
import type { auditEntryViewSchema } from '../operators/audit-contract.ts';
import type { adminOrderViewSchema, attemptViewSchema, orderDetailSchema } from '../orders/admin-contract.ts';
import type { orderViewSchema } from '../orders/contract.ts';
import type { exchangeViewSchema } from '../orders/exchange-contract.ts';
import type { reviewItemSchema } from '../orders/review-contract.ts';
import type { listViewSchema, priceViewSchema, syncViewSchema } from '../price-lists/contract.ts';
import type { dayReportSchema, differenceSchema } from '../reconciliation/contract.ts';
import type { findingViewSchema, statementViewSchema } from '../reconciliation/statement-contract.ts';
import type { credentialViewSchema, issuedCredentialViewSchema, resellerViewSchema } from '../resellers/contract.ts';
import type {
  routeListSchema,
  routeViewSchema,
  serviceRoutingViewSchema,
  standardRoutingViewSchema,
} from '../routing/contract.ts';
import type {
  AdminOrder,
  Attempt,
  AuditEntry,
  Credential,
  DayDifference,
  Exchange,
  IssuedCredential,
  ItemPrice,
  Order,
  OrderDetail,
  ReconciliationDay,
  Reseller,
  ReviewItem,
  Route,
  RoutingRule,
  ServiceRouting,
  StatementFinding,
  Supplier,
  SupplierCallback,
  SupplierKind,
  SupplierStatement,
  SupplierSync,
  SyncReport,
  Transfer,
} from './answers.ts';

// These lines fail in the type check, not at run time: every field the command line reads is one the service sends.
test('the answers the command line reads are those of the interface', () => {
  expectTypeOf<z.infer<typeof resellerViewSchema>>().toExtend<Reseller>();
  expectTypeOf<z.infer<typeof credentialViewSchema>>().toExtend<Credential>();
  expectTypeOf<z.infer<typeof issuedCredentialViewSchema>>().toExtend<IssuedCredential>();
  expectTypeOf<z.infer<typeof transferViewSchema>>().toExtend<Transfer>();
  expectTypeOf<z.infer<typeof orderViewSchema>>().toExtend<Order>();
  expectTypeOf<z.infer<typeof adminOrderViewSchema>>().toExtend<AdminOrder>();
  expectTypeOf<z.infer<typeof attemptViewSchema>>().toExtend<Attempt>();
  expectTypeOf<z.infer<typeof exchangeViewSchema>>().toExtend<Exchange>();
  expectTypeOf<z.infer<typeof reviewItemSchema>>().toExtend<ReviewItem>();
  expectTypeOf<z.infer<typeof supplierViewSchema>>().toExtend<Supplier>();
  expectTypeOf<z.infer<typeof dayReportSchema>>().toExtend<ReconciliationDay>();
  expectTypeOf<z.infer<typeof differenceSchema>>().toExtend<DayDifference>();
  expectTypeOf<z.infer<typeof statementViewSchema>>().toExtend<SupplierStatement>();
  expectTypeOf<z.infer<typeof findingViewSchema>>().toExtend<StatementFinding>();
  expectTypeOf<z.infer<typeof routeListSchema>>().toExtend<Route[]>();
  expectTypeOf<z.infer<typeof routeViewSchema>>().toExtend<Route>();
  expectTypeOf<z.infer<typeof standardRoutingViewSchema>>().toExtend<RoutingRule>();
  expectTypeOf<z.infer<typeof serviceRoutingViewSchema>>().toExtend<ServiceRouting>();
  expectTypeOf<z.infer<typeof supplierKindViewSchema>>().toExtend<SupplierKind>();
  expectTypeOf<z.infer<typeof syncViewSchema>>().toExtend<SyncReport>();
  expectTypeOf<z.infer<typeof listViewSchema>>().toExtend<SupplierSync>();
  expectTypeOf<z.infer<typeof priceViewSchema>>().toExtend<ItemPrice>();
  expectTypeOf<z.infer<typeof callbackViewSchema>>().toExtend<SupplierCallback>();
  expectTypeOf<z.infer<typeof auditEntryViewSchema>>().toExtend<AuditEntry>();
  expectTypeOf<z.infer<typeof orderDetailSchema>>().toExtend<OrderDetail>();
});
