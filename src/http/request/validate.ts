/** Validates the raw parts of a request. */
import type { z } from 'zod';
import type { RequestHead } from '../head/head.js';
import { RequestRefused } from '../reply/errors.js';
import type { CompiledRoute } from '../routing/router.js';
import type { Violation } from '../routing/service.js';
import { parseQuery } from './query.js';
import { violationText } from './violation-text.js';

/** Receives the validated parts. */
interface Parts {
  params: unknown;
  query: unknown;
  headers: unknown;
}

/**
 * Validates path parameters, query and headers; reports all violations of query and headers together.
 *
 * @throws {RequestRefused} `not-found` for parameters, `invalid` for the rest
 */
export function validateHead(
  parts: Parts,
  compiled: CompiledRoute,
  values: readonly string[],
  head: RequestHead,
): void {
  const { params, query, headers } = compiled.route;
  const violations: Violation[] = [];
  if (params !== undefined) parts.params = validParams(params, compiled, values, head);
  if (query !== undefined) parts.query = checked(query, parseQuery(head.query), 'query', violations);
  if (headers !== undefined)
    parts.headers = checked(headers, namedHeaders(compiled, head), 'headers', violations);
  if (violations.length > 0) throw new RequestRefused({ kind: 'invalid', violations });
}

/** @throws {RequestRefused} `invalid` */
export function validateBody(schema: z.ZodType, value: unknown): unknown {
  const violations: Violation[] = [];
  const body = checked(schema, value, 'body', violations);
  if (violations.length > 0) throw new RequestRefused({ kind: 'invalid', violations });
  return body;
}

function validParams(
  schema: z.ZodObject,
  { parameterNames }: CompiledRoute,
  values: readonly string[],
  head: RequestHead,
): unknown {
  const named: Record<string, string | undefined> = {};
  for (let i = 0; i < parameterNames.length; i += 1) named[parameterNames[i] as string] = values[i];
  const result = schema.safeParse(named);
  if (result.success) return result.data;
  throw new RequestRefused({ kind: 'not-found', path: head.path });
}

function checked(
  schema: z.ZodType,
  value: unknown,
  where: Violation['where'],
  violations: Violation[],
): unknown {
  const result = schema.safeParse(value, { error: violationText });
  if (result.success) return result.data;
  for (const { path: keys, message } of result.error.issues) {
    const path = keys.filter((key) => typeof key !== 'symbol');
    violations.push({ where, path, message, input: valueAt(value, path) });
  }
  return undefined;
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

function namedHeaders({ headerNames }: CompiledRoute, { headers }: RequestHead): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of headerNames) {
    const value = headers.get(name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
