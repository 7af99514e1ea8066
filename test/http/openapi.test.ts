import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { openApiDocument } from '../../src/http/docs/openapi.js';
import { route } from '../../src/http/routing/route.js';
import type { ErrorForm } from '../../src/http/routing/service.js';
import { demo } from './support/demo.js';
import { overEachTransport } from './support/servers.js';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Record<string, unknown>[];
  readonly requestBody?: Record<string, unknown>;
  readonly responses: Record<string, Record<string, unknown>>;
}

interface Document {
  readonly openapi: string;
  readonly info: Record<string, string>;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

const documentOf = (app = demo()) => openApiDocument(app, app.routes) as unknown as Document;
const statuses = (operation: Operation | undefined) => Object.keys(operation?.responses ?? {});

describe('openApiDocument', () => {
  it('describes path, query and header parameters', () => {
    const { parameters } = documentOf().paths['/hello/{name}']?.get ?? {};
    expect(parameters).toEqual([
      { name: 'name', in: 'path', required: true, schema: expect.objectContaining({ type: 'string' }) },
      { name: 'loud', in: 'query', required: false, schema: expect.anything() },
      { name: 'times', in: 'query', required: false, schema: expect.anything() },
      { name: 'x-greeting', in: 'header', required: false, schema: { type: 'string', minLength: 2 } },
    ]);
  });

  it('adds every status that the HTTP layer can return', () => {
    const { paths } = documentOf();
    expect(statuses(paths['/about']?.get)).toEqual(['200', '400', '500']);
    expect(statuses(paths['/hello/{name}']?.get)).toEqual(['200', '400', '404', '500']);
    expect(statuses(paths['/json']?.post)).toEqual(['200', '400', '413', '500']);
    expect(statuses(paths['/optional-json']?.post)).toEqual(['200', '400', '413', '415', '500']);
    expect(statuses(paths['/bytes']?.post)).toEqual(['200', '400', '411', '413', '500']);
    expect(statuses(paths['/file']?.get)).toEqual(['200', '206', '304', '400', '412', '416', '500']);
  });

  it('describes bodies', () => {
    const { paths } = documentOf();
    expect(paths['/json']?.post?.requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        },
      },
    });
    expect(paths['/upload']?.post?.requestBody).toEqual({
      required: true,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary', minLength: 1 } } },
    });
  });

  it('describes errors in the form of the service', () => {
    const { 400: refused } = documentOf().paths['/about']?.get?.responses ?? {};
    expect(refused).toEqual({
      description: 'Bad Request.',
      content: { 'text/plain': { schema: { type: 'string' } } },
    });
    const errors: ErrorForm = {
      ...demo().errors,
      contentType: 'application/json',
      schema: z.object({ detail: z.string() }),
    };
    const { 400: json } = documentOf(demo({ errors })).paths['/about']?.get?.responses ?? {};
    expect(json).toHaveProperty(
      ['content', 'application/json', 'schema', 'properties', 'detail', 'type'],
      'string',
    );
  });

  it('collects schemas with an id as components', () => {
    const named = z.object({ a: z.string().nullable() }).meta({ id: 'openapi.test.named' });
    const listing = route({
      method: 'GET',
      path: '/list',
      operationId: 'list',
      summary: 'List',
      responses: { 200: { description: 'All.', schema: z.object({ items: z.array(named) }) } },
      handler: () => ({ status: 200 }),
    });
    const { components, paths } = documentOf(demo({ routes: [listing] }));
    expect(components.schemas).toEqual({
      'openapi.test.named': {
        type: 'object',
        properties: { a: { type: ['string', 'null'] } },
        required: ['a'],
      },
    });
    const old = openApiDocument(demo({ routes: [listing] }), [listing], '3.0') as unknown as Document;
    expect(old.components.schemas).toHaveProperty(['openapi.test.named', 'properties', 'a'], {
      type: 'string',
      nullable: true,
    });
    expect(JSON.stringify(paths)).toContain('{"$ref":"#/components/schemas/openapi.test.named"}');
  });

  it('omits hidden routes', () => {
    const [first] = demo().routes;
    const hidden = { ...first, hidden: true } as NonNullable<typeof first>;
    expect(documentOf(demo({ routes: [hidden] })).paths).toEqual({});
  });
});

overEachTransport('documentation', (context) => {
  const get = (path: string) => fetch(`${context.server.url}${path}`);

  it('is served as JSON and YAML, including the probes', async () => {
    const json = (await (await get('/docs/openapi.json')).json()) as Document;
    expect(json.openapi).toBe('3.0.3');
    expect(json.info).toMatchObject({ title: 'Demo <service>', description: 'For tests.', version: '1.2.3' });
    expect(Object.keys(json.paths)).toContain('/healthz');
    expect(Object.keys(json.paths)).not.toContain('/docs');
    const yaml = await get('/docs/openapi.yaml');
    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(parse(await yaml.text())).toEqual(json);
  });

  it.each([
    ['/openapi/openapi', '3.1.0'],
    ['/docs/openapi', '3.0.3'],
  ])('is served at %s in the form %s', async (address, version) => {
    const json = (await (await get(`${address}.json`)).json()) as Document;
    expect(json.openapi).toBe(version);
    expect(parse(await (await get(`${address}.yaml`)).text())).toEqual(json);
  });

  it('redirects the page with a final slash', async () => {
    const response = await fetch(`${context.server.url}/docs/`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([307, '/docs']);
  });

  it('has a page that loads nothing from other hosts', async () => {
    const page = await get('/docs');
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.headers.get('content-security-policy')).not.toMatch(/https?:|\*/);
    expect(html).toContain('<title>Demo &lt;service&gt;</title>');
    const references = [...html.matchAll(/<(?!a\s)[^>]*?\s(?:src|href|data-document)="([^"]+)"/g)]
      .map(([, url]) => url as string)
      // The empty icon, which prevents requests for /favicon.ico.
      .filter((url) => url !== 'data:,');
    expect(references.length).toBeGreaterThanOrEqual(4);
    for (const url of references) {
      expect(url).toMatch(/^\/(docs|openapi)/);
      expect((await get(url)).status).toBe(200);
    }
  });

  it('serves scripts with their media type', async () => {
    for (const name of ['swagger-ui-bundle.js', 'start.js']) {
      expect((await get(`/docs/${name}`)).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    }
  });
});
