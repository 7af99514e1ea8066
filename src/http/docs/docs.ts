/** The documentation page and its OpenAPI document. All files come from this server, none from another host. */
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { lazily } from '../../platform/lazily.js';
import type { Reply, Route } from '../routing/route.js';
import type { ServiceApp } from '../routing/service.js';
import { openApiDocument } from './openapi.js';
import type { OpenApiVersion } from './openapi-schema.js';
import { assetRoute, CODE_CACHING, escaped } from './pages.js';

const PAGE = '/docs';

/** The same in every service. The two forms have the addresses at which the reference programs serve theirs. */
const DOCUMENTS: readonly { readonly address: string; readonly version: OpenApiVersion }[] = [
  { address: '/openapi/openapi', version: '3.1' },
  { address: '/docs/openapi', version: '3.0' },
];

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

/** Routes for the page, its assets, and the documents as JSON and YAML. */
export function docsRoutes(app: ServiceApp, routes: readonly Route[]): Route[] {
  if (app.docs === undefined) return [];
  return [
    pageRow(app),
    row(`${PAGE}/`, 'Redirect to the documentation', () => ({ status: 307, headers: { Location: PAGE } })),
    ...DOCUMENTS.flatMap(({ address, version }) => documentRows(app, routes, address, version)),
    asset(`${PAGE}/swagger-ui-bundle.js`, 'text/javascript; charset=utf-8'),
    asset(`${PAGE}/swagger-ui.css`, 'text/css; charset=utf-8'),
    assetRoute(`${PAGE}/viewer.css`, 'viewer.css'),
    row(`${PAGE}/start.js`, 'Script that starts the viewer', () => ({
      status: 200,
      headers: { 'Cache-Control': CODE_CACHING },
      body: { kind: 'text', text: START_SCRIPT, contentType: 'text/javascript; charset=utf-8' },
    })),
  ];
}

function documentRows(
  app: ServiceApp,
  routes: readonly Route[],
  address: string,
  version: OpenApiVersion,
): Route[] {
  const document = lazily(() => openApiDocument(app, routes, version));
  const yamlText = lazily(async () => (await import('yaml')).stringify(document(), { lineWidth: 110 }));
  return [
    row(`${address}.json`, `The OpenAPI ${version} document as JSON`, () => ({
      status: 200,
      body: { kind: 'json', value: document(), indent: 2 },
    })),
    row(`${address}.yaml`, `The OpenAPI ${version} document as YAML`, async () => ({
      status: 200,
      body: { kind: 'text', text: await yamlText(), contentType: 'application/yaml; charset=utf-8' },
    })),
  ];
}

function pageRow(app: ServiceApp): Route {
  return row(PAGE, 'Interactive documentation', () => ({
    status: 200,
    headers: { 'Content-Security-Policy': PAGE_POLICY },
    body: { kind: 'text', text: html(app), contentType: 'text/html; charset=utf-8' },
  }));
}

function asset(assetPath: string, contentType: string): Route {
  const file = path.join(viewerFolder(), path.basename(assetPath));
  const served = row(assetPath, 'Asset of the viewer', () => ({
    status: 200,
    headers: { 'Cache-Control': CODE_CACHING },
    body: { kind: 'file', path: file, contentType, compress: true },
  }));
  return { ...served, isAsset: true };
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
  const built = fileURLToPath(new URL('../../console/docs', import.meta.url));
  if (statSync(built, { throwIfNoEntry: false })) return built;
  return path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

function html({ title }: ServiceApp): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${PAGE}/swagger-ui.css">
<link rel="stylesheet" href="${PAGE}/viewer.css">
</head>
<body>
<nav class="start" aria-label="Service"><a href="/">Start page</a></nav>
<div id="viewer" data-document="/openapi/openapi.json"></div>
<noscript>The viewer needs JavaScript. Read the document instead: <a href="/openapi/openapi.yaml">/openapi/openapi.yaml</a></noscript>
<script src="${PAGE}/swagger-ui-bundle.js"></script>
<script src="${PAGE}/start.js"></script>
</body>
</html>
`;
}

/** A separate file because the page's policy forbids inline scripts. The online validator is another host, so it is off. */
const START_SCRIPT = `'use strict';
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyScheme);
applyScheme();
const viewer = document.getElementById('viewer');
// Repairs what screen readers stumble over: links inside of buttons, skipped heading levels, parts and choices
// without a name, and examples that only a mouse can scroll.
const repair = () => {
  for (const link of viewer.querySelectorAll('.opblock-summary-control a[href]')) link.removeAttribute('href');
  for (const heading of viewer.querySelectorAll('h3:not([aria-level]), h4:not([aria-level])')) heading.setAttribute('aria-level', heading.localName === 'h3' ? '2' : '3');
  for (const [selector, name] of [['.information-container', 'About'], ['.scheme-container', 'Servers and keys']]) {
    for (const part of viewer.querySelectorAll(selector + ':not([role])')) {
      part.setAttribute('role', 'region');
      part.setAttribute('aria-label', name);
    }
  }
  for (const example of viewer.querySelectorAll('pre.microlight:not([tabindex])')) example.tabIndex = 0;
  for (const select of viewer.querySelectorAll('select:not([aria-label])')) select.setAttribute('aria-label', select.id === 'servers' ? 'Server' : 'Choice');
};
new MutationObserver(repair).observe(viewer, { childList: true, subtree: true });
SwaggerUIBundle({ domNode: viewer, url: viewer.dataset.document, validatorUrl: null, deepLinking: true });
`;
