/** All responses of an operation, including those that the HTTP layer sends before the handler runs. */

import { statusName } from '../head/status.js';
import { refusalReply } from '../reply/error-reply.js';
import { acceptedTypes } from '../request/body.js';
import type { ResponseSpec, Route } from '../routing/route.js';
import type { ErrorForm, Refusal } from '../routing/service.js';
import type { JsonObject, SchemaWriter } from './openapi-schema.js';

export function responsesOf(route: Route, errors: ErrorForm, schemas: SchemaWriter): JsonObject {
  const responses: JsonObject = {};
  for (const [status, spec] of Object.entries(route.responses)) {
    responses[status] = documented(Number(status), spec, errors, schemas);
    if (spec.file) Object.assign(responses, fileResponses(spec, schemas));
  }
  for (const status of layerStatuses(route, errors)) {
    responses[status] ??= documented(status, { description: `${statusName(status)}.` }, errors, schemas);
  }
  return responses;
}

/** Statuses of the HTTP layer's refusals in the service's error form. */
function layerStatuses(route: Route, errors: ErrorForm): number[] {
  const statuses = layerRefusals(route).map((refusal) => refusalReply(errors, refusal).status);
  return [...statuses, errors.thrown(new Error('unexpected'), '').status];
}

function layerRefusals({ body, params, query, headers, path, responses }: Route): Refusal[] {
  const refusals: Refusal[] = [{ kind: 'malformed', message: '' }];
  if (params !== undefined || path.includes('{')) refusals.push({ kind: 'not-found', path });
  const hasSchema = body !== undefined && body.kind !== 'stream' && body.schema !== undefined;
  if (query !== undefined || headers !== undefined || hasSchema)
    refusals.push({ kind: 'invalid', violations: [] });
  if (Object.values(responses).some(({ file }) => file))
    refusals.push({ kind: 'precondition-failed' }, { kind: 'range-unsatisfiable', size: 0 });
  if (body === undefined) return refusals;
  refusals.push({ kind: 'body-too-large', bytesMax: body.bytesMax });
  if (body.kind === 'json') refusals.push({ kind: 'body-not-json', message: '' });
  if (body.required ?? body.kind === 'json') refusals.push({ kind: 'body-empty' });
  const accepted = acceptedTypes(body);
  if (accepted !== undefined) refusals.push({ kind: 'media-type', accepted });
  if (body.lengthRequired) refusals.push({ kind: 'length-required' });
  return refusals;
}

function fileResponses(spec: ResponseSpec, schemas: SchemaWriter): JsonObject {
  return {
    206: { description: 'The requested range.', content: successContent(spec, schemas) },
    304: { description: 'The client already has this version.' },
  };
}

function documented(
  status: number,
  spec: ResponseSpec,
  errors: ErrorForm,
  schemas: SchemaWriter,
): JsonObject {
  const response: JsonObject = { description: spec.description };
  if (spec.headers !== undefined) response.headers = headersOf(spec.headers, schemas);
  const isError = status >= 400 && spec.schema === undefined && spec.contentType === undefined;
  const content = isError ? errorContent(errors, schemas) : successContent(spec, schemas);
  if (content !== undefined) response.content = content;
  return response;
}

function successContent(
  { schema, contentType }: ResponseSpec,
  schemas: SchemaWriter,
): JsonObject | undefined {
  if (schema !== undefined)
    return { [contentType ?? 'application/json']: { schema: schemas.write(schema, 'output') } };
  if (contentType === undefined) return undefined;
  return { [contentType]: { schema: { type: 'string', format: 'binary' } } };
}

function errorContent({ problems, ...form }: ErrorForm, schemas: SchemaWriter): JsonObject {
  const entries = [form, ...(problems ? [problems] : [])].map(({ contentType, schema }) => {
    const [type = contentType] = contentType.split(';');
    return [type, { schema: schema === undefined ? { type: 'string' } : schemas.write(schema, 'output') }];
  });
  return Object.fromEntries(entries);
}

function headersOf(headers: NonNullable<ResponseSpec['headers']>, schemas: SchemaWriter): JsonObject {
  const entries = Object.entries(headers).map(([name, { description, schema }]) => [
    name,
    { description, schema: schemas.write(schema, 'output') },
  ]);
  return Object.fromEntries(entries);
}
