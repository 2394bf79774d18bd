import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { AVAILABILITIES } from '../../src/catalog/catalog.ts';
import type { productViewSchema, serviceViewSchema } from '../../src/catalog/contract.ts';
import type { pagedSchema } from '../../src/http/envelope.ts';
import { ADMIN_PROBLEM_CODES, PROBLEMS, type ProblemCode, type Issue as ServiceIssue } from '../../src/http/problems.ts';
import type { transferViewSchema } from '../../src/ledger/contract.ts';
import type { TRANSFER_KINDS } from '../../src/ledger/ledger.ts';
import type {
  orderListQuerySchema,
  orderRequestSchema,
  orderStatusQuerySchema,
  orderViewSchema,
} from '../../src/orders/contract.ts';
import type { ORDER_STATES } from '../../src/orders/order.ts';
import type { statusCodes } from '../../src/reference/lists.ts';
import type { requestLogEntryViewSchema, requestLogQuerySchema } from '../../src/request-log/contract.ts';
import type { accountViewSchema, statementQuerySchema } from '../../src/resellers/contract.ts';
import type { FailureCode as ServiceFailureCode } from '../../src/suppliers/failures.ts';
import type * as hooks from '../../src/webhooks/contract.ts';
import type { DELIVERY_STATES } from '../../src/webhooks/delivery.ts';
import type { EVENT_TYPES } from '../../src/webhooks/event.ts';
import type * as sdk from '../src/index.ts';

/**
 * What the client library says about the wire, held against the service's own contracts. These lines fail in the type check.
 * Two types are the same when each fits the other and both have the same fields at every depth: a field that is optional on one
 * side only would still fit.
 */
type Same<One, Other> = [Fits<One, Other>, Fits<Other, One>, Identical<Shape<One>, Shape<Other>>] extends [true, true, true]
  ? true
  : { fits: Fits<One, Other>; isFitted: Fits<Other, One>; one: Shape<One>; other: Shape<Other> };

type Fits<One, Other> = [One] extends [Other] ? true : false;
type Identical<One, Other> =
  (<Probe>() => Probe extends One ? 1 : 2) extends <Probe>() => Probe extends Other ? 1 : 2 ? true : false;

/** The names of all fields, how they are nested, and which may be left out. */
type Shape<Value> = Value extends Date
  ? 'value'
  : Value extends readonly (infer Item)[]
    ? { items: Shape<Item> }
    : Value extends object
      ? {
          [Key in keyof Value]-?: {
            optional: object extends Pick<Value, Key> ? true : false;
            shape: Shape<NonNullable<Value[Key]>>;
          };
        }
      : 'value';

/** Parameters have other types before they are written into an address; their names and which of them may be left out are compared. */
type SameNames<One, Other> = Identical<Names<One>, Names<Other>>;
type Names<Value> = { [Key in keyof Value]-?: object extends Pick<Value, Key> ? 'optional' : 'required' };

type Plain<Value> = Pick<Value, keyof Value>;

/** The compiler refuses a list with anything but `true` in it. */
function check<_All extends readonly true[]>(): void {}

test('requests and answers are those of the service', () => {
  check<
    [
      Same<sdk.Account, z.infer<typeof accountViewSchema>>,
      Same<sdk.Transfer, z.infer<typeof transferViewSchema>>,
      Same<sdk.Product, z.infer<typeof productViewSchema>>,
      Same<sdk.Service, z.infer<typeof serviceViewSchema>>,
      Same<sdk.Order, z.infer<typeof orderViewSchema>>,
      Same<sdk.SignedOrder, z.input<typeof orderRequestSchema>>,
      Same<sdk.Webhook, z.infer<typeof hooks.endpointViewSchema>>,
      Same<sdk.WebhookWithSecret, z.infer<typeof hooks.endpointWithSecretSchema>>,
      Same<sdk.WebhookDelivery, z.infer<typeof hooks.deliveryViewSchema>>,
      Same<sdk.Recovery, z.infer<typeof hooks.recoveryViewSchema>>,
      Same<sdk.WebhookParams, z.input<typeof hooks.createEndpointSchema>>,
      Same<sdk.WebhookChanges, z.input<typeof hooks.changeEndpointSchema>>,
      Same<sdk.LoggedRequest, z.infer<typeof requestLogEntryViewSchema>>,
      Same<sdk.Issue, ServiceIssue>,
      Same<Plain<{ [Key in keyof sdk.StatusCodes]: unknown }>, Plain<{ [Key in keyof ReturnType<typeof statusCodes>]: unknown }>>,
      Fits<ReturnType<typeof statusCodes>, sdk.StatusCodes>,
      Same<
        Pick<sdk.Page<string>, 'next_cursor' | 'has_more'>,
        z.infer<ReturnType<typeof pagedSchema<z.ZodString>>>['pagination']
      >,
    ]
  >();
});

test('parameters of lists have the names that the service knows', () => {
  check<
    [
      SameNames<sdk.TransactionParams, z.input<typeof statementQuerySchema>>,
      SameNames<sdk.OrderListParams, z.input<typeof orderListQuerySchema>>,
      SameNames<sdk.DeliveryParams, z.input<typeof hooks.deliveryListQuerySchema>>,
      SameNames<sdk.EventListParams, z.input<typeof hooks.eventsQuerySchema>>,
      SameNames<sdk.RequestLogParams, z.input<typeof requestLogQuerySchema>>,
      Fits<sdk.OrderReference, z.input<typeof orderStatusQuerySchema>>,
      Same<sdk.OrderListParams['status'], z.input<typeof orderListQuerySchema>['status']>,
      Same<sdk.TransactionParams['kind'], z.input<typeof statementQuerySchema>['kind']>,
      Same<sdk.DeliveryParams['status'], z.input<typeof hooks.deliveryListQuerySchema>['status']>,
    ]
  >();
});

test('states, kinds and event types are those of the service', () => {
  check<
    [
      Same<sdk.OrderStatus, (typeof ORDER_STATES)[number]>,
      Same<sdk.Availability, (typeof AVAILABILITIES)[number]>,
      Same<sdk.TransferKind, (typeof TRANSFER_KINDS)[number]>,
      Same<sdk.DeliveryStatus, (typeof DELIVERY_STATES)[number]>,
      Same<sdk.EventType, (typeof EVENT_TYPES)[number]>,
      Same<sdk.FailureCode, ServiceFailureCode>,
    ]
  >();
});

test('an event has the fields of the service, and its data those of what it tells of', () => {
  type FromService = z.infer<typeof hooks.eventViewSchema>;
  check<
    [
      Same<Plain<Omit<sdk.OrderEvent, 'data' | 'type'>>, Plain<Omit<FromService, 'data' | 'type'>>>,
      Same<sdk.TopgateEvent['type'], FromService['type']>,
      SameNames<sdk.OrderEvent, FromService>,
      Same<sdk.OrderEvent['data'], z.infer<typeof orderViewSchema>>,
      Same<sdk.ServiceUpdatedEvent['data'], z.infer<typeof serviceViewSchema>>,
    ]
  >();
});

test('error codes are those that resellers can meet, no more and no less', () => {
  check<[Same<sdk.ErrorCode, Exclude<ProblemCode, 'not_found' | 'conflict'>>]>();
  expect([...ADMIN_PROBLEM_CODES].toSorted()).toEqual(['conflict', 'not_found']);
  expect(Object.keys(PROBLEMS)).toEqual(expect.arrayContaining([...ADMIN_PROBLEM_CODES]));
});

test('the comparison sees a field that is missing, optional, or of another type', () => {
  type Model = { name: string; inner: { note: string | null } };
  check<[Same<Model, { name: string; inner: { note: string | null } }>]>();
  // @ts-expect-error A field that only one side has, although it may be left out.
  check<[Same<Model, { name: string; inner: { note: string | null; hint?: string } }>]>();
  // @ts-expect-error A field that only one side may leave out.
  check<[Same<Model, { name?: string; inner: { note: string | null } }>]>();
  // @ts-expect-error A value that only one side expects.
  check<[Same<Model, { name: string; inner: { note: string } }>]>();
});
