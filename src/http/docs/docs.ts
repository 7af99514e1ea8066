/** The documentation page and its OpenAPI document. All files come from this server, none from another host. */
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reply, Route } from '../routing/route.js';
import type { ServiceApp } from '../routing/service.js';
import { openApiDocument } from './openapi.js';

type Docs = NonNullable<ServiceApp['docs']>;

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ASSET_CACHING = 'public, max-age=3600';

/** Routes for the page, its assets, and the document as JSON and YAML. */
export function docsRoutes(app: ServiceApp, routes: readonly Route[]): Route[] {
  const { docs } = app;
  if (docs === undefined) return [];
  const { page, json, yaml } = docs;
  const document = lazily(() => openApiDocument(app, routes));
  const yamlText = lazily(async () => (await import('yaml')).stringify(document(), { lineWidth: 110 }));
  return [
    pageRow(app, docs),
    row(json, 'The OpenAPI document as JSON', () => ({
      status: 200,
      body: { kind: 'json', value: document(), indent: 2 },
    })),
    row(yaml, 'The OpenAPI document as YAML', async () => ({
      status: 200,
      body: { kind: 'text', text: await yamlText(), contentType: 'application/yaml; charset=utf-8' },
    })),
    asset(`${page}/swagger-ui-bundle.js`, 'text/javascript; charset=utf-8'),
    asset(`${page}/swagger-ui.css`, 'text/css; charset=utf-8'),
    row(`${page}/start.js`, 'Script that starts the viewer', () => ({
      status: 200,
      headers: { 'Cache-Control': ASSET_CACHING },
      body: { kind: 'text', text: START_SCRIPT, contentType: 'text/javascript; charset=utf-8' },
    })),
  ];
}

function pageRow(app: ServiceApp, docs: Docs): Route {
  return row(docs.page, 'Interactive documentation', () => ({
    status: 200,
    headers: { 'Content-Security-Policy': PAGE_POLICY },
    body: { kind: 'text', text: html(app, docs), contentType: 'text/html; charset=utf-8' },
  }));
}

function asset(assetPath: string, contentType: string): Route {
  const file = path.join(viewerFolder(), path.basename(assetPath));
  return row(assetPath, 'Asset of the viewer', () => ({
    status: 200,
    headers: { 'Cache-Control': ASSET_CACHING },
    body: { kind: 'file', path: file, contentType },
  }));
}

function row(rowPath: string, summary: string, handler: () => Reply | Promise<Reply>): Route {
  return {
    method: 'GET',
    path: rowPath,
    operationId: rowPath,
    summary,
    hidden: true,
    responses: {},
    handler,
  };
}

/** Built packages contain the viewer's files; an unbuilt working copy takes them from node_modules. */
function viewerFolder(): string {
  const built = fileURLToPath(new URL('../../web/docs', import.meta.url));
  if (statSync(built, { throwIfNoEntry: false })) return built;
  return path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

function html({ title }: ServiceApp, docs: Docs): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${escaped(docs.page)}/swagger-ui.css">
</head>
<body>
<main id="viewer" data-document="${escaped(docs.json)}"></main>
<noscript>The viewer needs JavaScript. Read the document instead: <a href="${escaped(docs.yaml)}">${escaped(docs.yaml)}</a></noscript>
<script src="${escaped(docs.page)}/swagger-ui-bundle.js"></script>
<script src="${escaped(docs.page)}/start.js"></script>
</body>
</html>
`;
}

/** A separate file because the page's policy forbids inline scripts. The online validator is another host, so it is off. */
const START_SCRIPT = `'use strict';
const viewer = document.getElementById('viewer');
SwaggerUIBundle({ domNode: viewer, url: viewer.dataset.document, validatorUrl: null, deepLinking: true });
`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
