import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../src/http/problems.ts';
import { VERSION } from '../../src/main/version.ts';
import { EVENT_TYPES } from '../../src/webhooks/index.ts';
import {
  AnswerCheck,
  closed,
  type DescribedContent,
  DescribedSchemas,
  readApiDescription,
  type SeenAnswer,
} from '../support/api-description.ts';
import { openInMemory, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openTestService, type TestService } from '../support/service.ts';

const description = readApiDescription();
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation, name: `${method.toUpperCase()} ${path}` })),
);

const LINTER_EXCEPTIONS = {
  // The public operations have nothing of the client's to refuse.
  'operation-4xx-response': 'off',
  // An error response says only what it narrows, and the rule takes everything else for unknown. The examples are held
  // against closed schemas below.
  'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
} as const;

describe('the committed description', () => {
  let opened: TestDatabase;
  let topgate: TestService;
  beforeAll(async () => {
    opened = await openInMemory();
    topgate = await openTestService(opened, { clock: new FakeClock(), version: VERSION });
  });
  afterAll(async () => {
    await topgate.stop();
    await opened.drop();
  });

  test('is the one the service gives', async () => {
    const { body } = await topgate.raw({ method: 'GET', url: '/openapi.json' });
    expect(JSON.stringify(description), 'openapi.json is out of date: run "npm run openapi:dump"').toBe(JSON.stringify(body));
  });

  test('passes a public linter without a warning', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: LINTER_EXCEPTIONS });
    const problems = await lintFromString({ source: JSON.stringify(description), config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer}`)).toEqual([]);
  });
});

describe('every operation', () => {
  test('has an id of its own and a described tag', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(ids.filter((id, index) => !/^[a-z][A-Za-z]+$/.test(id) || ids.indexOf(id) !== index)).toEqual([]);
    const tags = new Set(operations.flatMap(({ operation }) => operation.tags));
    for (const { post } of Object.values(description.webhooks)) for (const tag of post.tags) tags.add(tag);
    expect([...tags].toSorted()).toEqual(description.tags.map(({ name }) => name).toSorted());
  });

  test('explains its parameters', () => {
    const silent = operations.flatMap(({ name, operation }) =>
      (operation.parameters ?? [])
        .filter((parameter) => 'name' in parameter && parameter.description === undefined)
        .map((parameter) => `${name}: ${JSON.stringify(parameter)}`),
    );
    expect(silent).toEqual([]);
  });

  test.each(operations)('shows by example what goes into and comes out of $name', ({ operation }) => {
    const { 200: success } = operation.responses;
    const answers = Object.values(success !== undefined && 'content' in success ? (success.content ?? {}) : {});
    const bodies = operation.requestBody ? [operation.requestBody.content['application/json']] : [];
    expect([...answers, ...bodies].filter((content) => content?.example === undefined)).toEqual([]);
  });
});

test('every error code has an example', () => {
  const examples = Object.values(description.components.examples).map(({ value }) => value as { error: { code: string } });
  expect([...new Set(examples.map(({ error }) => error.code))].toSorted()).toEqual(Object.keys(PROBLEMS).toSorted());
});

test('every type of event has its webhook', () => {
  expect(Object.keys(description.webhooks)).toEqual([...EVENT_TYPES]);
});

describe('every example fits its schema', () => {
  const schemas = new DescribedSchemas(closed(description));
  const { components } = description;

  test.each(Object.entries(components.schemas))('of the schema %s', (name, { examples = [] }) => {
    for (const example of examples as unknown[]) expect(schemas.misfit(example, 'components', 'schemas', name)).toBeNull();
  });

  test.each(['parameters', 'headers'] as const)('of the shared %s', (kind) => {
    for (const [name, { example }] of Object.entries(components[kind]))
      expect(schemas.misfit(example, 'components', kind, name, 'schema'), name).toBeNull();
  });

  test.each(Object.entries(components.responses))('of the error response %s', (name, { content = {} }) => {
    for (const { $ref } of Object.values(content['application/json']?.examples ?? {}) as { $ref: string }[]) {
      const example = components.examples[$ref.split('/').at(-1) ?? '']?.value;
      const place = ['components', 'responses', name, 'content', 'application/json', 'schema'];
      expect(schemas.misfit(example, ...place)).toBeNull();
    }
  });

  const everyOperation = [
    ...operations.map(({ path, method, operation }) => ({ place: ['paths', path, method], operation })),
    ...Object.entries(description.webhooks).map(([type, { post }]) => ({ place: ['webhooks', type, 'post'], operation: post })),
  ];
  test.each(everyOperation)('of $operation.operationId', ({ place, operation }) => {
    const misfits = (content: Record<string, DescribedContent>, ...inside: string[]) =>
      Object.entries(content)
        .filter(([, { example }]) => example !== undefined)
        .map(([type, { example }]) => schemas.misfit(example, ...place, ...inside, 'content', type, 'schema'));
    const found = misfits(operation.requestBody?.content ?? {}, 'requestBody');
    for (const [status, response] of Object.entries(operation.responses))
      if ('content' in response) found.push(...misfits(response.content ?? {}, 'responses', status));
    for (const [index, parameter] of (operation.parameters ?? []).entries())
      if ('name' in parameter && parameter.example !== undefined)
        found.push(schemas.misfit(parameter.example, ...place, 'parameters', String(index), 'schema'));
    expect(found.filter((misfit) => misfit !== null)).toEqual([]);
  });
});

describe('the check of every answer in these tests', () => {
  const answers = new AnswerCheck(description);
  const seen = (change: Partial<SeenAnswer>, body: unknown): SeenAnswer => ({
    method: 'GET',
    url: '/api/account',
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': '1' },
    text: JSON.stringify(body),
    ...change,
  });
  const account = {
    name: 'Toko Sinar',
    username: 'toko-sinar',
    balance: 1,
    currency: 'IDR',
    tier: 'standard',
    mode: 'test',
    registered_at: '2026-02-14T09:30:00+07:00',
  };
  const done = (data: object) => ({ status: 200, success: true, message: 'Done', data });
  const failed = (status: number, code: string) => ({
    status,
    success: false,
    message: 'No.',
    data: null,
    error: { code, retryable: false },
    request_id: '1',
  });

  test('lets a described answer pass', () => {
    expect(() => answers.check(seen({}, done(account)))).not.toThrow();
    expect(() => answers.check(seen({ status: 401 }, failed(401, 'unauthenticated')))).not.toThrow();
    expect(() => answers.check(seen({ url: '/nowhere', status: 404 }, failed(404, 'route_not_found')))).not.toThrow();
  });

  test.each([
    ['a field that is not described', seen({}, done({ ...account, surprise: 1 })), /must NOT have additional properties/],
    ['a missing field', seen({}, done({ ...account, tier: undefined })), /must have required property 'tier'/],
    ['a time of another form', seen({}, done({ ...account, registered_at: 'yesterday' })), /date-time/],
    ['a status the route does not declare', seen({ status: 409 }, failed(409, 'conflict')), /has no conflict there/],
    ['a code the route does not declare', seen({ status: 401 }, failed(401, 'invalid_signature')), /invalid_signature/],
    ['a path that is not described', seen({ url: '/api/surprise' }, done({})), /no such answer/],
    ['a method that is not described', seen({ method: 'PUT' }, done(account)), /no such answer/],
    [
      'a header that is not described',
      seen({ headers: { 'content-type': 'application/json', 'x-request-id': '1', etag: '"1"' } }, done(account)),
      /no header ETag/,
    ],
    ['an answer without a request id', seen({ headers: { 'content-type': 'application/json' } }, done(account)), /X-Request-Id/],
  ])('refuses %s, and names the request', (_what, answer, message) => {
    expect(() => answers.check(answer)).toThrow(message);
    expect(() => answers.check(answer)).toThrow(`${answer.method} ${answer.url}`);
  });
});
