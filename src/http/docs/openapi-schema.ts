/** Converts zod schemas to the schema objects of OpenAPI 3.1 (JSON Schema 2020-12) or 3.0. */
import { z } from 'zod';

export type JsonObject = { [key: string]: unknown };

/** 3.1 is the main form. 3.0 is for tools that don't read 3.1. */
export type OpenApiVersion = '3.1' | '3.0';

const TARGETS = { '3.1': 'draft-2020-12', '3.0': 'openapi-3.0' } as const;

/** Converts schemas and collects those with an `id` as components. */
export class SchemaWriter {
  readonly components: JsonObject = {};

  readonly #target: (typeof TARGETS)[OpenApiVersion];

  constructor(version: OpenApiVersion) {
    this.#target = TARGETS[version];
  }

  /** @param io `input` if clients send it, `output` if they receive it */
  write(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const generated = z.toJSONSchema(schema, {
      target: this.#target,
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const { def } = zodSchema._zod;
        // Responses may gain fields later; only a strict schema excludes further ones.
        if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
        // zod removes the default of schemas that transform their input. Ours describe the input.
        const { default: standard } = (z.globalRegistry.get(zodSchema) ?? {}) as { default?: unknown };
        if (standard !== undefined) jsonSchema.default = standard;
      },
    });
    const { definitions, $defs, $schema: _, ...own } = JSON.parse(JSON.stringify(generated)) as JsonObject;
    for (const [id, component] of Object.entries((definitions ?? $defs ?? {}) as JsonObject)) {
      this.components[id] = forOpenApi(component);
    }
    return forOpenApi(own) as JsonObject;
  }
}

/** zod writes these bounds of every integer, and names of members are always strings. */
const isNoise = (key: string, value: unknown) =>
  key === 'propertyNames' ||
  (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
  (key === 'minimum' && value === Number.MIN_SAFE_INTEGER);

/** References to components, and the short form of nullable types. */
function forOpenApi(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forOpenApi);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, inner]) => !isNoise(key, inner))
    .map(([key, inner]) => {
      const isRef = key === '$ref' && typeof inner === 'string';
      return [
        key,
        isRef ? inner.replace(/^#\/(definitions|\$defs)\//, '#/components/schemas/') : forOpenApi(inner),
      ];
    });
  return withNullableType(Object.fromEntries(entries));
}

/** `{ anyOf: [{ type: 'string' }, { type: 'null' }] }` as `{ type: ['string', 'null'] }`, which generators understand best. */
function withNullableType({ anyOf, ...rest }: JsonObject): JsonObject {
  if (!Array.isArray(anyOf)) return rest;
  const [some, none, ...others] = anyOf as JsonObject[];
  const isNullable = others.length === 0 && none?.type === 'null' && typeof some?.type === 'string';
  if (!isNullable || some?.enum !== undefined) return { ...rest, anyOf };
  return { ...some, type: [some?.type, 'null'], ...rest };
}
