import { STATUS_CODES } from 'node:http';
import { failure } from '../envelope.ts';
import { PROBLEMS, Problem, type ProblemCode } from '../problems.ts';
import type { Components, JsonObject } from './components.ts';
import { exampleOf } from './examples.ts';
import { type HeaderName, headerReferences } from './headers.ts';
import { PROBLEM_EXAMPLES } from './problem-examples.ts';

/** An error a route may answer: its code, with the status where that is not the code's own. */
export type DeclaredProblem = ProblemCode | { code: ProblemCode; status: number };

/** What a wrong path and a wrong method are answered with; no route answers it, so every route refers to it as `default`. */
const ON_ANY_PATH: ProblemCode[] = ['route_not_found', 'method_not_allowed'];
const CODES = Object.keys(PROBLEMS) as ProblemCode[];
const EXAMPLE_REQUEST_ID = '0b8f4c1e-6d0a-4f5e-9a51-2f1f4f3f6b7d';

const HEADERS_OF: Partial<Record<ProblemCode, HeaderName[]>> = {
  unauthenticated: ['WWW-Authenticate'],
  method_not_allowed: ['Allow'],
  rate_limited: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  overloaded: ['Retry-After'],
  maintenance: ['Retry-After'],
  lookup_unavailable: ['Retry-After'],
};

/** Error responses: one component for each set of codes that some route may answer with one status. */
export class ProblemResponses {
  readonly #responses = new Map<string, JsonObject>();
  readonly #examples = new Map<string, JsonObject>();
  readonly #components: Components;

  constructor(components: Components) {
    this.#components = components;
  }

  /** The error part of a route's `responses`. */
  of(problems: readonly DeclaredProblem[]): JsonObject {
    const byStatus = Map.groupBy(problems.map(withStatus), ({ status }) => status);
    const responses = [...byStatus].map(([status, group]) => {
      const codes = CODES.filter((code) => group.some((problem) => problem.code === code));
      return [String(status), this.#reference(codes, status)];
    });
    return { ...Object.fromEntries(responses), default: this.#reference(ON_ANY_PATH, null) };
  }

  responses(): JsonObject {
    return sorted(this.#responses);
  }

  examples(): JsonObject {
    return sorted(this.#examples);
  }

  /** A status of null: each code with its own. */
  #reference(codes: ProblemCode[], status: number | null): JsonObject {
    const isOwn = codes.every((code) => status === null || PROBLEMS[code].status === status);
    const name = codes.map(inPascalCase).join('Or') + (isOwn ? '' : status);
    if (!this.#responses.has(name)) this.#responses.set(name, this.#response(codes, status));
    return { $ref: `#/components/responses/${name}` };
  }

  #response(codes: ProblemCode[], status: number | null): JsonObject {
    const headers = new Set(codes.flatMap((code) => HEADERS_OF[code] ?? []));
    const narrowed = {
      properties: {
        status: { enum: [...new Set(codes.map((code) => status ?? PROBLEMS[code].status))] },
        error: { properties: { code: { enum: codes }, ...this.#details(codes) } },
      },
    };
    return {
      description: describe(codes, status),
      headers: headerReferences(['X-Request-Id', ...headers]),
      content: {
        'application/json': {
          schema: { allOf: [{ $ref: '#/components/schemas/Error' }, narrowed] },
          examples: Object.fromEntries(codes.map((code) => [code, this.#example(code, status ?? PROBLEMS[code].status)])),
        },
      },
    };
  }

  #details(codes: ProblemCode[]): JsonObject {
    const schemas = codes
      .flatMap((code) => PROBLEM_EXAMPLES[code]?.details ?? [])
      .map((schema) => this.#components.schemaOf(schema, 'output'));
    if (schemas.length === 0) return {};
    return { details: schemas.length === 1 ? schemas[0] : { anyOf: schemas } };
  }

  #example(code: ProblemCode, status: number): JsonObject {
    const name = status === PROBLEMS[code].status ? code : `${code}_${status}`;
    const { message, issues, details: schema } = PROBLEM_EXAMPLES[code] ?? {};
    const details = schema && exampleOf(this.#components.schemaOf(schema, 'output'), this.#components);
    const more = { status, ...(issues && { issues }), ...(details !== undefined && { details: details as JsonObject }) };
    const value = failure(new Problem(code, message, more), EXAMPLE_REQUEST_ID);
    this.#examples.set(name, { summary: code, value });
    return { $ref: `#/components/examples/${name}` };
  }
}

function withStatus(problem: DeclaredProblem): { code: ProblemCode; status: number } {
  return typeof problem === 'string' ? { code: problem, status: PROBLEMS[problem].status } : problem;
}

function describe(codes: ProblemCode[], status: number | null): string {
  const title = status === null ? 'A path or a method that does not exist' : (STATUS_CODES[status] ?? String(status));
  return [`${title}.`, '', ...codes.map((code) => `- \`${code}\`: ${PROBLEMS[code].meaning}`)].join('\n');
}

function inPascalCase(code: string): string {
  return code
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function sorted(entries: Map<string, JsonObject>): JsonObject {
  return Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
