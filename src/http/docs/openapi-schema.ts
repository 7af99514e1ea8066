/** Converts zod schemas to OpenAPI 3.0 schema objects. */
import { z } from 'zod';

export type JsonObject = { [key: string]: unknown };

/** Converts schemas and collects those with an `id` as components. */
export class SchemaWriter {
  readonly components: JsonObject = {};

  /** @param io `input` if clients send it, `output` if they receive it */
  write(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const generated = z.toJSONSchema(schema, {
      target: 'openapi-3.0',
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const { def } = zodSchema._zod;
        // Responses may gain fields later; only a strict schema excludes further ones.
        if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties;
      },
    });
    const { definitions, $schema: _, ...own } = JSON.parse(JSON.stringify(generated)) as JsonObject;
    for (const [id, component] of Object.entries((definitions ?? {}) as JsonObject)) {
      this.components[id] = withComponentRefs(component);
    }
    return withComponentRefs(own) as JsonObject;
  }
}

function withComponentRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withComponentRefs);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    const isRef = key === '$ref' && typeof inner === 'string';
    return [key, isRef ? inner.replace('#/definitions/', '#/components/schemas/') : withComponentRefs(inner)];
  });
  return Object.fromEntries(entries);
}
