import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { required } from '../src/lib/assert.ts';
import { SECOND_MS } from '../src/lib/clock.ts';
import { SIGNATURE_VECTORS } from '../src/resellers/index.ts';
import { openInMemory } from './support/engines.ts';
import { openTestService } from './support/service.ts';

/** The Postman collection: its form, its completeness, and the script that signs. */
const FOLDER = path.join(import.meta.dirname, '../examples/postman');
const START_LIMIT_MS = 60 * SECOND_MS;
const read = (name: string) => JSON.parse(fs.readFileSync(path.join(FOLDER, name), 'utf8'));

/** What we use of the collection format 2.1; a key that the format does not have is a mistake. */
const variable = z.strictObject({ key: z.string(), value: z.string(), disabled: z.boolean().optional() });
const event = z.strictObject({
  listen: z.enum(['prerequest', 'test']),
  script: z.strictObject({ type: z.literal('text/javascript'), exec: z.array(z.string()) }),
});
const auth = z.union([
  z.strictObject({ type: z.literal('noauth') }),
  z.strictObject({
    type: z.literal('bearer'),
    bearer: z.array(z.strictObject({ key: z.literal('token'), value: z.string(), type: z.literal('string') })),
  }),
]);
const callSchema = z.strictObject({
  name: z.string(),
  event: z.array(event).optional(),
  request: z.strictObject({
    auth: auth.optional(),
    method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']),
    header: z.array(variable),
    body: z
      .strictObject({
        mode: z.literal('raw'),
        raw: z.string(),
        options: z.strictObject({ raw: z.strictObject({ language: z.literal('json') }) }),
      })
      .optional(),
    url: z.strictObject({
      raw: z.string(),
      host: z.array(z.string()),
      path: z.array(z.string()),
      query: z.array(variable).optional(),
    }),
    description: z.string().optional(),
  }),
  response: z.tuple([]),
});
const collectionSchema = z.strictObject({
  info: z.strictObject({
    _postman_id: z.uuid(),
    name: z.string(),
    description: z.string(),
    schema: z.literal('https://schema.getpostman.com/json/collection/v2.1.0/collection.json'),
  }),
  auth,
  event: z.array(event),
  item: z.array(z.strictObject({ name: z.string(), item: z.array(callSchema) })),
});
const environmentSchema = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  values: z.array(
    z.strictObject({ key: z.string(), value: z.string(), type: z.enum(['default', 'secret']), enabled: z.literal(true) }),
  ),
  _postman_variable_scope: z.literal('environment'),
});

const collection = collectionSchema.parse(read('topgate.postman_collection.json'));
const environment = environmentSchema.parse(read('topgate.postman_environment.json'));
const calls = collection.item.flatMap(({ item }) => item);

test('every address is written the same way twice', () => {
  for (const { name, request } of calls) {
    const { raw, host, path: parts, query = [] } = request.url;
    const search = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
    expect(`${[...host, ...parts].join('/')}${search.length > 0 ? `?${search.join('&')}` : ''}`, name).toBe(raw);
  }
});

test('every variable is in the environment, and secrets are marked and empty', () => {
  const used = [...JSON.stringify(collection).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
  const known = environment.values.map(({ key }) => key);
  expect(used.filter((name) => name !== undefined && !known.includes(name))).toEqual([]);
  const secrets = environment.values.filter(({ type }) => type === 'secret');
  expect(secrets.map(({ key, value }) => [key, value])).toEqual([
    ['access_token', ''],
    ['signing_secret', ''],
  ]);
});

test('no call of resellers is missing', { timeout: START_LIMIT_MS }, async () => {
  const opened = await openInMemory();
  const { raw, stop } = await openTestService(opened);
  const { body } = await raw({ method: 'GET', url: '/openapi.json' });
  await stop();
  await opened.drop();
  const paths: [string, Record<string, unknown>][] = Object.entries(body.paths);
  const offered = paths
    .filter(([address]) => address.startsWith('/api/'))
    .flatMap(([address, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${address}`))
    .map((call) => call.replaceAll(/\{\w+\}/g, '{}'));
  const collected = calls.map(({ request: { method, url } }) =>
    `${method} /${url.path.join('/')}`.replaceAll(/\{\{\w+\}\}/g, '{}'),
  );
  expect(offered.length).toBeGreaterThan(10);
  expect(offered.filter((call) => !collected.includes(call))).toEqual([]);
});

/** Runs the script that precedes every request, with the part of Postman that it needs, and answers the body to be sent. */
function sendThroughScript(raw: string | undefined, variables: Record<string, string>): string | undefined {
  const body = raw === undefined ? undefined : { raw, update: (changed: { raw: string }) => Object.assign(body ?? {}, changed) };
  const postman = {
    request: { body },
    variables: {
      get: (name: string) => variables[name],
      replaceIn: (template: string) =>
        template.replaceAll(/\{\{([$\w]+)\}\}/g, (_whole, name: string) => required(variables[name], name)),
    },
  };
  const modules: Record<string, unknown> = {
    'crypto-js': {
      HmacSHA256: (message: string, key: string) => ({ toString: () => createHmac('sha256', key).update(message).digest('hex') }),
    },
  };
  const [script] = collection.event;
  vm.runInNewContext(required(script, 'a script').script.exec.join('\n'), {
    pm: postman,
    require: (name: string) => modules[name],
  });
  return body?.raw;
}

describe('the script that signs', () => {
  test.each(SIGNATURE_VECTORS)('signs $order.ref_id as published', ({ secret, order, signature }) => {
    const { user_id, zone, ...rest } = order;
    const unsigned = { ...rest, account_identifier: { user_id, zone }, signature: '' };
    const sent = sendThroughScript(JSON.stringify(unsigned), { signing_secret: secret });
    expect(JSON.parse(sent ?? '')).toEqual({ ...unsigned, signature });
  });

  test('fills in the variables first, so that what is signed is what is sent', () => {
    const [vector] = SIGNATURE_VECTORS;
    const { service_code, ref_id, user_id, zone } = vector.order;
    const create = required(
      calls.find(({ name }) => name === 'Send the same order again'),
      'the call is in the collection',
    );
    const values = { service_code, ref_id, user_id, zone, signing_secret: vector.secret };
    const sent = sendThroughScript(create.request.body?.raw, values);
    expect(JSON.parse(sent ?? '')).toEqual({
      service_code,
      ref_id,
      account_identifier: { user_id, zone },
      signature: vector.signature,
    });
  });

  test('leaves everything else as it is', () => {
    expect(sendThroughScript(undefined, {})).toBe(undefined);
    expect(sendThroughScript('{"url":"{{webhook_url}}"}', {})).toBe('{"url":"{{webhook_url}}"}');
  });
});
