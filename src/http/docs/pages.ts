/** Browser pages of a service: the files of known types under `dist/web`. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { json } from '../reply/replies.js';
import { type Reply, type Route, route } from '../routing/route.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Allows scripts and styles from this server and thumbnails as data URLs; forbids framing. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ASSET_CACHING = 'public, max-age=3600';

/**
 * The route of `/`: the page of a folder for browsers and, if the service has a `summary`, that JSON document for
 * other clients.
 */
export function startPage(folder: string, summary?: object): Route {
  return route({
    method: 'GET',
    path: '/',
    operationId: 'startPage',
    summary: 'Start page',
    hidden: true,
    responses: {},
    handler: (request) => {
      if (summary === undefined) return page(folder);
      const wantsPage = request.header('accept')?.includes('text/html') ?? false;
      const reply = wantsPage ? page(folder) : json(summary);
      return { ...reply, headers: { ...reply.headers, Vary: 'Accept' } };
    },
  });
}

/** The response with the page of a folder. */
function page(folder: string): Reply {
  const file = path.join(webFolder(), folder, 'index.html');
  return {
    status: 200,
    headers: { 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': 'no-cache' },
    body: { kind: 'file', path: file, contentType: TYPES['.html'] ?? '', compress: true },
  };
}

/** Routes under `/static` for the assets of these folders and for assets that all pages share. */
export function pageAssets(...folders: readonly string[]): Route[] {
  return ['', ...folders].flatMap((folder) => {
    const files = readdirSync(path.join(webFolder(), folder)).filter((file) => assetType(file) !== undefined);
    return files.map((file) => {
      const name = path.posix.join(folder, file);
      return assetRoute(`/static/${name}`, name);
    });
  });
}

function assetType(file: string): string | undefined {
  return file.endsWith('.html') ? undefined : TYPES[path.extname(file)];
}

/** Routes for the assets that pages without scripts load. */
export function sharedAssets(): Route[] {
  return ['style.css', 'icon.svg'].map((file) => assetRoute(`/static/${file}`, file));
}

/** A route for one asset, such as `style.css`. */
export function assetRoute(urlPath: string, file: string): Route {
  const contentType = assetType(file) ?? 'application/octet-stream';
  return {
    method: 'GET',
    path: urlPath,
    operationId: urlPath,
    summary: 'Asset of a page',
    hidden: true,
    responses: {},
    handler: () => ({
      status: 200,
      headers: { 'Cache-Control': ASSET_CACHING },
      body: { kind: 'file', path: path.join(webFolder(), file), contentType, compress: true },
    }),
  };
}

/** Next to the compiled program. Tests run from the sources and use the built files. */
function webFolder(): string {
  const compiled = fileURLToPath(new URL('../../web', import.meta.url));
  if (statSync(path.join(compiled, 'dom.js'), { throwIfNoEntry: false })) return compiled;
  return fileURLToPath(new URL('../../../dist/web', import.meta.url));
}
