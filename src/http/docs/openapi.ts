/** Builds the OpenAPI document of a service from its route table. */
import type { z } from 'zod';
import { acceptedTypes } from '../request/body.js';
import type { BodySpec, Route, SecurityScheme } from '../routing/route.js';
import type { ServiceApp } from '../routing/service.js';
import { responsesOf } from './openapi-responses.js';
import { type JsonObject, type OpenApiVersion, SchemaWriter } from './openapi-schema.js';

/** Headers that OpenAPI does not describe as parameters. */
const HEADERS_ELSEWHERE = new Set(['accept', 'authorization', 'content-type']);

const LICENCE = 'Apache-2.0';

/** Documents all routes except hidden ones. */
export function openApiDocument(
  app: ServiceApp,
  routes: readonly Route[],
  version: OpenApiVersion = '3.1',
): JsonObject {
  const schemas = new SchemaWriter(version);
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    if (route.hidden) continue;
    // OpenAPI cannot express that a parameter may contain slashes.
    const path = route.path.replace('...}', '}');
    const methods = paths[path] ?? {};
    methods[route.method.toLowerCase()] = operation(route, app, schemas);
    paths[path] = methods;
  }
  return {
    openapi: version === '3.1' ? '3.1.0' : '3.0.3',
    info: {
      title: app.title,
      description: app.description,
      version: app.version,
      contact: { name: 'Operator of this server' },
      license: {
        name: LICENCE,
        ...(version === '3.1'
          ? { identifier: LICENCE }
          : { url: 'https://www.apache.org/licenses/LICENSE-2.0' }),
      },
    },
    servers: [{ url: '/', description: 'The server that sent this document' }],
    tags: Object.entries(app.docs?.tags ?? {}).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: schemas.components, ...securitySchemes(routes) },
  };
}

const SECURITY: Readonly<Record<SecurityScheme, JsonObject>> = {
  bearer: { type: 'http', scheme: 'bearer' },
  ApiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
};

function securitySchemes(routes: readonly Route[]): JsonObject {
  const used = new Set(routes.flatMap(({ hidden, security }) => (hidden || !security ? [] : [security])));
  if (used.size === 0) return {};
  return { securitySchemes: Object.fromEntries([...used].map((name) => [name, SECURITY[name]])) };
}

function operation(route: Route, app: ServiceApp, schemas: SchemaWriter): JsonObject {
  const parameters = [
    ...parametersIn('path', pathSchema(route, schemas)),
    ...parametersIn('query', route.query && schemas.write(route.query, 'input')),
    ...parametersIn('header', route.headers && schemas.write(route.headers, 'input')),
  ];
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: descriptionOf(route),
    ...(route.tags !== undefined && { tags: route.tags }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && { requestBody: requestBody(route.body, schemas) }),
    ...(route.security !== undefined && {
      security: [...(route.securityOptional ? [{}] : []), { [route.security]: [] }],
    }),
    responses: responsesOf(route, app.errors, schemas),
  };
}

function descriptionOf({ description, summary, right }: Route): string {
  const text = description ?? `${summary}.`;
  return right === undefined ? text : `${text} A key needs the right \`${right}\`.`;
}

/** Parameters without a schema are strings. */
function pathSchema({ path, params }: Route, schemas: SchemaWriter): JsonObject {
  const described = params && (schemas.write(params, 'input').properties as JsonObject);
  const names = [...path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => name as string);
  const properties = names.map((name) => [name, described?.[name] ?? { type: 'string', minLength: 1 }]);
  return { properties: Object.fromEntries(properties), required: names };
}

function parametersIn(place: 'path' | 'query' | 'header', schema: JsonObject | undefined): JsonObject[] {
  const properties = (schema?.properties ?? {}) as Record<string, JsonObject>;
  const required = new Set((schema?.required ?? []) as string[]);
  return Object.entries(properties)
    .filter(([name]) => place !== 'header' || !HEADERS_ELSEWHERE.has(name))
    .map(([name, { description, ...inner }]) => ({
      name,
      in: place,
      required: required.has(name),
      ...(description !== undefined && { description }),
      schema: inner,
    }));
}

function requestBody(body: BodySpec, schemas: SchemaWriter): JsonObject {
  const isJson = body.kind === 'json' || body.documented !== undefined;
  const types = acceptedTypes(body) ?? [isJson ? 'application/json' : 'application/octet-stream'];
  const schema = bodySchema(body, schemas);
  return {
    // A documented JSON body is required: an empty body is not JSON.
    required: body.required ?? isJson,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  };
}

function bodySchema(body: BodySpec, schemas: SchemaWriter): JsonObject {
  const hasFields = body.kind === 'json' || body.kind === 'form';
  const schema: z.ZodType | undefined = hasFields ? body.schema : body.documented;
  if (schema !== undefined) return schemas.write(schema, 'input');
  return { type: 'string', format: 'binary', ...(body.required && { minLength: 1 }) };
}
