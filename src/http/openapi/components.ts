import { z } from 'zod';

/** A JSON Schema, or any other object of the description. */
export interface JsonObject {
  [key: string]: unknown;
}

type Direction = 'input' | 'output';

const SCHEMAS = '#/components/schemas/';

/** Turns zod schemas into JSON Schema, and gathers those with a name (`.meta({ id })`) as components. */
export class Components {
  readonly #schemas = new Map<string, JsonObject>();

  /** A request is described as it is sent, an answer as it arrives: a field with a default is optional only in the former. */
  schemaOf(schema: z.ZodType, direction: Direction): JsonObject {
    const {
      $schema: _dialect,
      $defs: definitions = {},
      ...root
    } = z.toJSONSchema(schema, { io: direction, unrepresentable: 'any', cycles: 'throw', override: simplify });
    for (const [name, definition] of Object.entries(definitions)) this.#add(name, rewriteReferences(definition));
    return rewriteReferences(root);
  }

  /** What stands behind a reference; any other schema is itself. */
  resolve(schema: JsonObject): JsonObject {
    const { $ref: reference } = schema;
    if (typeof reference !== 'string') return schema;
    const target = this.#schemas.get(reference.slice(SCHEMAS.length));
    if (!target) throw new Error(`Invariant broken: the API description refers to ${reference}, which it does not have`);
    return target;
  }

  /** All named schemas, by name. */
  schemas(): JsonObject {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #add(name: string, { id: _name, ...schema }: JsonObject): void {
    const known = this.#schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(
        `Invariant broken: the schema "${name}" looks different in requests and in answers. Give a name only to one of the two.`,
      );
    this.#schemas.set(name, schema);
  }
}

/** Leaves out what zod says to be exact and a reader does not need, and keeps the examples. */
function simplify({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  // Answers may gain fields later, and clients shall not refuse them; only strict requests are closed.
  if (zodSchema._zod.def.type === 'object' && zodSchema._zod.def.catchall === undefined) delete jsonSchema.additionalProperties;
  // zod drops them where a value is transformed, though they are of the value as it is sent.
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (Array.isArray(examples)) jsonSchema.examples = examples;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
}

function rewriteReferences(schema: object): JsonObject {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', SCHEMAS) : value,
  ) as JsonObject;
}
