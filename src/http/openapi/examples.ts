import type { Components, JsonObject } from './components.ts';

/**
 * A value of a schema, put together from the examples its parts give; undefined when a part that must be there gives none.
 * So an example is written once, beside the schema it belongs to, and every answer that contains it shows it.
 */
export function exampleOf(schema: JsonObject, components: Components): unknown {
  if (Array.isArray(schema['examples'])) return schema['examples'][0];
  if ('const' in schema) return schema['const'];
  if ('$ref' in schema) return exampleOf(components.resolve(schema), components);
  if (schema['type'] === 'array') {
    const item = exampleOf((schema['items'] ?? {}) as JsonObject, components);
    return item === undefined ? undefined : [item];
  }
  return schema['type'] === 'object' ? exampleOfObject(schema, components) : undefined;
}

function exampleOfObject(schema: JsonObject, components: Components): unknown {
  const required = new Set((schema['required'] ?? []) as string[]);
  const example: JsonObject = {};
  for (const [key, property] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>)) {
    const value = exampleOf(property, components);
    if (value !== undefined) example[key] = value;
    else if (required.has(key)) return undefined;
  }
  return example;
}
