import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonObject } from '../../src/http/openapi/components.ts';

const FILE = path.join(import.meta.dirname, '../../openapi.json');

export interface DescribedResponse {
  headers?: Record<string, unknown>;
  content?: Record<string, DescribedContent>;
}

export interface DescribedContent {
  schema: JsonObject;
  example?: unknown;
  examples?: Record<string, unknown>;
}

export interface DescribedOperation {
  operationId: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: ({ $ref: string } | { name: string; schema: JsonObject; description?: string; example?: unknown })[];
  requestBody?: { content: Record<string, DescribedContent> };
  responses: Record<string, DescribedResponse | { $ref: string }>;
}

export interface ApiDescription {
  tags: { name: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  webhooks: Record<string, { post: DescribedOperation }>;
  components: {
    schemas: Record<string, JsonObject>;
    responses: Record<string, DescribedResponse>;
    examples: Record<string, { summary: string; value: unknown }>;
    parameters: Record<string, { schema: JsonObject; example?: unknown }>;
    headers: Record<string, { schema: JsonObject; example?: unknown }>;
  };
}

/** What a test has seen the service answer. */
export interface SeenAnswer {
  method: string;
  url: string;
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  /** The body as it arrived. */
  text: string;
}

/** The committed description. That it is the one the service gives has a test of its own. */
export function readApiDescription(): ApiDescription {
  return JSON.parse(fs.readFileSync(FILE, 'utf8')) as ApiDescription;
}

/** Validates values against any schema of the description, which is named by the keys that lead to it. */
export class DescribedSchemas {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  constructor(description: ApiDescription) {
    formats.default(this.#ajv);
    this.#ajv.addSchema({ ...description, $id: 'api' });
  }

  /** What is wrong with the value; null when it fits. */
  misfit(value: unknown, ...place: string[]): string | null {
    const validate = this.#ajv.getSchema(`api#${toPointer(place)}`);
    if (!validate) throw new Error(`The description has no schema at ${place.join(' / ')}`);
    return validate(value) ? null : this.#ajv.errorsText(validate.errors, { dataVar: 'value' });
  }
}

/** Headers of ours that an answer may have only where the description says so. Rate limits depend on the settings. */
const DECLARED_HEADERS = ['Retry-After', 'WWW-Authenticate', 'Allow', 'ETag', 'Idempotent-Replayed', 'Content-Disposition'];
/** Pages for people, which are no part of the interface. */
const DOCUMENTATION = /^\/(docs|llms\.txt)(\/|\?|$)/;
/** Answers that no route gives: every one refers to them as `default`. */
const OF_NO_ROUTE = new Set(['route_not_found', 'method_not_allowed']);
const NO_ROUTE = ['components', 'responses', 'RouteNotFoundOrMethodNotAllowed'];

/** Holds answers against the description: by path, method and status, body and headers. */
export class AnswerCheck {
  readonly #description: ApiDescription;
  readonly #schemas: DescribedSchemas;
  readonly #templates: { template: string; pattern: RegExp }[];

  constructor(description: ApiDescription) {
    this.#description = closed(description);
    this.#schemas = new DescribedSchemas(this.#description);
    // A path without parameters is tried before one that would take its words for a parameter.
    this.#templates = Object.keys(description.paths)
      .toSorted((a, b) => a.split('{').length - b.split('{').length)
      .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]*')}$`) }));
  }

  /** Throws when the answer is not in the description. Only JSON is looked at, and no page of the documentation. */
  check(answer: SeenAnswer): void {
    const misfit = this.#misfit(answer);
    if (misfit === null) return;
    throw new Error(
      `${answer.method} ${answer.url} answered ${answer.status}, but ${misfit}.\n` +
        'Declare it beside the route and run "npm run openapi:dump", or mend the answer:\n' +
        answer.text.slice(0, 1_000),
    );
  }

  #misfit({ method, url, status, headers, text }: SeenAnswer): string | null {
    const isJson = String(headers['content-type'] ?? '').startsWith('application/json');
    if (text !== '' && !isJson) return null;
    const body = text === '' ? undefined : JSON.parse(text);
    const code: string | undefined = body?.error?.code;
    if (DOCUMENTATION.test(url) && code === undefined) return null;
    const place = code !== undefined && OF_NO_ROUTE.has(code) ? NO_ROUTE : this.#find(method, url, status);
    if (place === null) return `the description has no ${code ?? 'such answer'} there`;
    const response = at(this.#description, place) as DescribedResponse;
    if (headers['x-request-id'] === undefined) return 'it has no X-Request-Id';
    const undeclared = DECLARED_HEADERS.find(
      (name) => headers[name.toLowerCase()] !== undefined && !(name in (response.headers ?? {})),
    );
    if (undeclared !== undefined) return `the description has no header ${undeclared} there`;
    if (body === undefined) return null;
    const misfit = this.#schemas.misfit(body, ...place, 'content', 'application/json', 'schema');
    return misfit && `its body${code === undefined ? '' : ` (${code})`} is not the described one: ${misfit}`;
  }

  /** The keys that lead to the described response; null when there is none. */
  #find(method: string, url: string, status: number): string[] | null {
    const [path = ''] = url.split('?', 1);
    const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
    const found = this.#templates.find(
      ({ template, pattern }) => pattern.test(path) && this.#description.paths[template]?.[verb] !== undefined,
    );
    const response = found && this.#description.paths[found.template]?.[verb]?.responses[status];
    if (!found || response === undefined) return null;
    return '$ref' in response ? response.$ref.split('/').slice(1) : ['paths', found.template, verb, 'responses', String(status)];
  }
}

/** The description with every object closed: clients must bear fields they do not know, but tests shall find them. */
export function closed(description: ApiDescription): ApiDescription {
  return JSON.parse(JSON.stringify(description), (_key, value) =>
    value?.type === 'object' && value.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  ) as ApiDescription;
}

function at(description: ApiDescription, place: string[]): unknown {
  return place.reduce<unknown>((value, key) => (value as JsonObject | undefined)?.[key], description);
}

function toPointer(place: string[]): string {
  return place.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
}
