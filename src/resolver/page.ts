/** The start page: HTML for browsers, JSON for other clients. */
import type { z } from 'zod';
import { DISCOVERY_PATH } from '../c2pa/documents.js';
import type { Reply } from '../http/routing/route.js';
import { version } from '../version.js';
import type { summary } from './schema.js';

export const TITLE = 'ISCC soft-binding resolver';

const SUMMARY: z.infer<typeof summary> = { title: TITLE, version, docs: '/docs', discovery: DISCOVERY_PATH };

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${TITLE}</title>
</head>
<body>
<main>
<h1>${TITLE}</h1>
<p>Finds the C2PA manifests of content by its ISCC.</p>
<ul>
<li><a href="/docs">Documentation</a></li>
<li><a href="/openapi/openapi.yaml">OpenAPI document</a></li>
<li><a href="${DISCOVERY_PATH}">Discovery document</a></li>
<li><a href="/v1/services/status">Status</a></li>
</ul>
</main>
</body>
</html>
`;

const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export function welcome(accept: string | undefined): Reply {
  const headers = { Vary: 'Accept' };
  if (!accept?.includes('text/html')) return { status: 200, headers, body: { kind: 'json', value: SUMMARY } };
  return {
    status: 200,
    headers: { ...headers, 'Content-Security-Policy': POLICY },
    body: { kind: 'text', text: HTML, contentType: 'text/html; charset=utf-8' },
  };
}
