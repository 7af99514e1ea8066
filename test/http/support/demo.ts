/** A small service that uses every feature of the HTTP layer. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { json } from '../../../src/http/routing/replies.js';
import { type Reply, type Route, route } from '../../../src/http/routing/route.js';
import type { ErrorForm, Refusal, ServiceApp } from '../../../src/http/routing/service.js';

export const BYTES_MAX = 100_000;

/** Body of `/text/{kind}`. */
export const TEXT = 'A line that repeats, and compresses well.\n'.repeat(500);

export class Teapot extends Error {}

/** What handlers have observed. */
export interface Seen {
  /** `METHOD path` of every request that reached a handler. */
  readonly handled: string[];
  readonly aborted: string[];
  uploadedBytes: number;
}

export interface Demo extends ServiceApp {
  readonly seen: Seen;
  /** The file that `/file` sends. */
  file: string;
  /** Completes the response of `/slow`, or lets `/held` read its body. */
  release: () => void;
  /** How long `/late` takes after it has read the body. */
  lateMs: number;
}

export function demo(overrides: Partial<ServiceApp> = {}): Demo {
  const seen: Seen = { handled: [], aborted: [], uploadedBytes: 0 };
  const app: Demo = {
    name: 'demo',
    title: 'Demo <service>',
    description: 'For tests.',
    version: '1.2.3',
    routes: [],
    errors,
    proxies: 0,
    docs: { tags: { probes: 'Health.' } },
    ...overrides,
    seen,
    file: '',
    release: () => {},
    lateMs: 0,
  };
  return Object.assign(app, { routes: overrides.routes ?? demoRoutes(app) });
}

const errors: ErrorForm = {
  contentType: 'text/plain; charset=utf-8',
  refusal: (refusal) => text(STATUSES[refusal.kind], `refused: ${refusal.kind}${details(refusal)}`),
  thrown: (error, requestId) =>
    error instanceof Teapot ? text(418, 'teapot') : text(500, `internal error ${requestId}`),
};

const STATUSES: Readonly<Record<Refusal['kind'], number>> = {
  malformed: 400,
  'target-too-long': 414,
  'not-found': 404,
  'method-not-allowed': 405,
  invalid: 400,
  'body-not-json': 400,
  'body-empty': 400,
  'body-too-large': 413,
  'length-required': 411,
  'precondition-failed': 412,
  'range-unsatisfiable': 416,
  'media-type': 415,
  'memory-full': 503,
};

function details(refusal: Refusal): string {
  if (refusal.kind === 'malformed') return ` (${refusal.message})`;
  if (refusal.kind !== 'invalid') return '';
  return refusal.violations.map(({ where, path }) => ` ${where}.${path.join('.')}`).join('');
}

function text(status: number, content: string): Reply {
  return { status, body: { kind: 'text', text: content } };
}

function demoRoutes(app: Demo): Route[] {
  const { seen } = app;
  const row = { responses: { 200: { description: 'Done.', schema: z.unknown() } }, summary: 'For tests' };
  const note = (request: { method: string; path: string }) =>
    seen.handled.push(`${request.method} ${request.path}`);
  return [
    route({
      ...row,
      method: 'GET',
      path: '/hello/{name}',
      operationId: 'hello',
      params: z.object({ name: z.string().regex(/^[\p{L} /]+$/u) }),
      query: z.object({ loud: z.stringbool().optional(), times: z.coerce.number().int().min(1).optional() }),
      headers: z.object({ 'x-greeting': z.string().min(2).optional() }),
      handler: (request) => {
        note(request);
        const { params, query, headers } = request;
        return json({ ...params, ...query, ...headers, id: request.id });
      },
    }),
    route({
      ...row,
      method: 'GET',
      path: '/about',
      operationId: 'about',
      handler: (request) => {
        note(request);
        return json({
          address: request.clientAddress,
          origin: request.origin,
          agent: request.header('user-agent'),
        });
      },
    }),
    route({
      ...row,
      method: 'GET',
      path: '/async',
      operationId: 'async',
      handler: async (request) => {
        note(request);
        await new Promise(setImmediate);
        return json({ address: request.clientAddress });
      },
    }),
    route({
      ...row,
      method: 'GET',
      path: '/slow',
      operationId: 'slow',
      handler: (request) => {
        note(request);
        request.signal.addEventListener('abort', () => seen.aborted.push(request.path));
        return new Promise<Reply>((resolve) => {
          app.release = () => resolve(json('slow'));
        });
      },
    }),
    route({
      ...row,
      method: 'POST',
      path: '/json',
      operationId: 'json',
      body: { kind: 'json', schema: z.object({ name: z.string() }), bytesMax: BYTES_MAX },
      handler: (request) => {
        note(request);
        return json(request.body);
      },
    }),
    route({
      ...row,
      method: 'POST',
      path: '/optional-json',
      operationId: 'optionalJson',
      body: {
        kind: 'json',
        schema: z.object({}),
        bytesMax: 100,
        required: false,
        contentTypes: ['application/json'],
      },
      handler: ({ body }) => json({ body: body ?? null }),
    }),
    route({
      ...row,
      method: 'POST',
      path: '/form',
      operationId: 'form',
      body: {
        kind: 'form',
        schema: z.object({ name: z.string(), key: z.union([z.string(), z.array(z.string())]).optional() }),
        bytesMax: BYTES_MAX,
      },
      handler: ({ body }) => json(body),
    }),
    route({
      ...row,
      method: 'POST',
      path: '/bytes',
      operationId: 'bytes',
      body: { kind: 'bytes', bytesMax: BYTES_MAX, lengthRequired: true },
      handler: ({ body }) => ({
        status: 200,
        body: { kind: 'bytes', bytes: body, contentType: 'application/octet-stream' },
      }),
    }),
    route({
      ...row,
      method: 'POST',
      path: '/upload',
      operationId: 'upload',
      body: { kind: 'stream', bytesMax: 50_000_000, required: true },
      handler: async (request) => {
        note(request);
        let bytes = 0;
        try {
          for await (const chunk of request.body) {
            bytes += chunk.length;
            seen.uploadedBytes = bytes;
          }
        } catch (error) {
          seen.aborted.push(`${request.path} ${(error as Error).name}`);
          throw error;
        }
        return json({ bytes, declared: request.body.declaredBytes ?? null });
      },
    }),
    route({
      ...row,
      method: 'POST',
      path: '/late',
      operationId: 'late',
      body: { kind: 'bytes', bytesMax: 50_000_000 },
      handler: async ({ body }) => {
        await sleep(app.lateMs);
        return json({ bytes: body.length });
      },
    }),
    route({
      ...row,
      method: 'POST',
      path: '/held',
      operationId: 'held',
      body: { kind: 'stream', bytesMax: 50_000_000 },
      handler: async (request) => {
        note(request);
        await new Promise<void>((resolve) => {
          app.release = resolve;
        });
        let bytes = 0;
        for await (const chunk of request.body) bytes += chunk.length;
        return json({ bytes });
      },
    }),
    route({
      ...row,
      method: 'POST',
      path: '/unread',
      operationId: 'unread',
      body: { kind: 'stream', bytesMax: 50_000_000 },
      handler: () => text(403, 'not read'),
    }),
    route({
      ...row,
      method: 'POST',
      path: '/guarded',
      operationId: 'guarded',
      body: { kind: 'bytes', bytesMax: BYTES_MAX },
      guard: async (request) => {
        await new Promise(setImmediate);
        if (request.header('x-key') !== 'secret') throw new Teapot();
      },
      handler: ({ body }) => json({ bytes: body.length }),
    }),
    route({
      ...row,
      method: 'GET',
      path: '/file',
      operationId: 'file',
      responses: { 200: { description: 'The file.', contentType: 'application/octet-stream', file: true } },
      handler: (request) => {
        note(request);
        const disposition = {
          type: 'attachment',
          filename: request.header('x-name') ?? 'plain.bin',
        } as const;
        const contentType = request.header('x-type') ?? 'application/octet-stream';
        return { status: 200, body: { kind: 'file', path: app.file, contentType, disposition } };
      },
    }),
    route({
      ...row,
      method: 'GET',
      path: '/stream/{kind}',
      operationId: 'stream',
      params: z.object({ kind: z.enum(['known', 'unknown', 'broken', 'endless']) }),
      handler: ({ params }) => streamReply(params.kind),
    }),
    route({
      ...row,
      method: 'GET',
      path: '/tagged',
      operationId: 'tagged',
      handler: () => ({ ...json('tagged'), headers: { ETag: '"v1"', 'Cache-Control': 'public' } }),
    }),
    route({
      ...row,
      method: 'GET',
      path: '/large',
      operationId: 'large',
      handler: () => json('x'.repeat(3_000_000)),
    }),
    route({
      ...row,
      method: 'GET',
      path: '/text/{kind}',
      operationId: 'text',
      handler: ({ path }) => ({
        status: 200,
        headers: { ETag: '"t1"', ...(path === '/text/secret' && { 'Cache-Control': 'no-store' }) },
        body: {
          kind: 'text',
          text: path === '/text/short' ? TEXT.slice(0, 1023) : TEXT,
          ...(path === '/text/image' && { contentType: 'image/png' }),
        },
      }),
    }),
    route({
      ...row,
      method: 'DELETE',
      path: '/thing/{id}',
      operationId: 'remove',
      handler: (request) => {
        note(request);
        return { status: 204 };
      },
    }),
    route({
      ...row,
      method: 'GET',
      path: '/inject',
      operationId: 'inject',
      handler: () => ({ status: 200, headers: { 'X-Bad': 'a\r\nX-Injected: yes' } }),
    }),
    route({
      ...row,
      method: 'GET',
      path: '/broken',
      operationId: 'broken',
      handler: () => {
        throw new Error('secret detail');
      },
    }),
    route({
      ...row,
      method: 'GET',
      path: '/cookies',
      operationId: 'cookies',
      handler: () => ({ status: 200, headers: { 'Set-Cookie': ['a=1', 'b=2'] } }),
    }),
  ];
}

function streamReply(kind: string): Reply {
  const stream = Readable.from(piecesOf(kind));
  const bytes = kind === 'known' ? { bytes: 13 } : {};
  return { status: 200, body: { kind: 'stream', stream, contentType: 'text/plain', ...bytes } };
}

function piecesOf(kind: string) {
  switch (kind) {
    case 'broken':
      return brokenPieces();
    case 'endless':
      return endlessPieces();
    default:
      return ['one ', 'two ', 'three'];
  }
}

async function* endlessPieces() {
  for (;;) {
    yield 'more ';
    await new Promise(setImmediate);
  }
}

async function* brokenPieces() {
  yield 'one ';
  await new Promise(setImmediate);
  throw new Error('the source failed');
}
