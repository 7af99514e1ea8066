/**
 * Start pages: the console, the same page for every service. It shows the parts of its own service and of those that form one
 * console with it.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { json } from '../routing/replies.js';
import type { Origins } from '../routing/route.js';
import { type Reply, type Route, route } from '../routing/route.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

const FRAME = 'frame.html';
/** Built by `scripts/copy-web.mjs`; the sources have no such file. */
const SCRIPT = 'main.js';
/** Codes files in a worker, with the module of `scripts/build-wasm.mjs`. Builds may lack the module. */
const CODER = 'coder.js';
const MODULE = 'isccd.wasm';
const STYLE = 'console.css';
const ICON = 'icon.svg';
const ASSETS = [SCRIPT, STYLE, ICON, CODER, MODULE];
/** A worker has a policy of its own: it loads the module, and knows no other host. */
const CODER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/** In the order of the page, which is the same for all services. */
const SERVICES = ['codes', 'search', 'store', 'resolver'];

/**
 * A new page must not run with old scripts and style sheets. Browsers ask each time for those without the hash of their
 * content in their address, and the answer is mostly a 304.
 */
export const CODE_CACHING = 'no-cache';
/** Of an address with the hash of its content. While versions change, instances of both get addresses of both. */
const HASHED_CACHING = 'public, max-age=31536000, immutable';
const HASH_CHARACTERS = 16;
const IMAGE_CACHING = 'public, max-age=3600';

/** One start page. */
export interface StartPage {
  /** Name of the service. */
  readonly service: string;
  /** Title of the document. */
  readonly title: string;
}

/**
 * The route of `/`: the start page for browsers and, if the service has a `summary`, that JSON document for other
 * clients.
 */
export function startPage(words: StartPage, summary?: object): Route {
  return route({
    method: 'GET',
    path: '/',
    operationId: 'startPage',
    summary: 'Start page',
    hidden: true,
    responses: {},
    handler: (request) => {
      if (summary === undefined) return page(words, request.neighbours);
      const wantsPage = request.header('accept')?.includes('text/html') ?? false;
      const reply = wantsPage ? page(words, request.neighbours) : json(summary);
      return { ...reply, headers: { ...reply.headers, Vary: 'Accept' } };
    },
  });
}

function page(words: StartPage, neighbours: Origins): Reply {
  const text = html(words, neighbours);
  return {
    status: 200,
    headers: { 'Content-Security-Policy': policy(Object.values(neighbours)), 'Cache-Control': 'no-cache' },
    body: { kind: 'text', text, contentType: TYPES['.html'] ?? '' },
  };
}

/** Allows scripts and styles from this server, requests to it and the neighbours, and thumbnails as data URLs. */
function policy(neighbours: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...neighbours].join(' '),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** What belongs to a service is hidden until the service responds. */
function html({ service, title }: StartPage, neighbours: Origins): string {
  const origins: Origins = { ...neighbours, [service]: '' };
  const listed = SERVICES.filter((name) => name in origins);
  const values: Readonly<Record<string, string>> = {
    coder: isBuilt(MODULE) ? 'on' : '',
    script: hashed(SCRIPT),
    style: hashed(STYLE),
    icon: hashed(ICON),
    title: escaped(title),
    service,
    neighbours: escaped(
      Object.entries(neighbours)
        .map(([name, origin]) => `${name}=${origin}`)
        .join(' '),
    ),
    services: listed.map((name) => serviceItem(name, escaped(origins[name] ?? ''))).join('\n'),
    ...Object.fromEntries(listed.map((name) => [name, escaped(origins[name] ?? '')])),
  };
  return filled(text(FRAME), values);
}

/** The address of an asset with the hash of its content. */
function hashed(file: string): string {
  return `/static/${file}?hash=${hashOf(file)}`;
}

/** Whether the address names this content, and not that of another version. */
function isHashed(file: string, query: string): boolean {
  return query.startsWith('hash=') && query === `hash=${hashOf(file)}`;
}

const hashes = new Map<string, string>();

function hashOf(file: string): string {
  let known = hashes.get(file);
  if (known === undefined) {
    const bytes = readFileSync(path.join(webFolder(), file));
    known = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_CHARACTERS);
    hashes.set(file, known);
  }
  return known;
}

function serviceItem(name: string, at: string): string {
  const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const of = `<span translate="no">${name}</span>`;
  return `<li data-needs="${name}" hidden><h3 translate="no">${label}</h3>
<a href="${at}/docs">Documentation of ${of}</a> <a href="${at}/openapi/openapi.yaml">OpenAPI of ${of}</a></li>`;
}

/** Replaces `{{name}}`. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}

const texts = new Map<string, string>();

function text(file: string): string {
  let known = texts.get(file);
  if (known === undefined) {
    known = readFileSync(path.join(webFolder(), file), 'utf8');
    texts.set(file, known);
  }
  return known;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for HTML content and attributes. */
export function escaped(plain: string): string {
  return plain.replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
}

/** Routes under `/static` for the assets of the start pages. */
export function pageAssets(): Route[] {
  return ASSETS.filter(isBuilt).map((file) => {
    const headers = file === CODER ? { 'Content-Security-Policy': CODER_POLICY } : {};
    return assetRoute(`/static/${file}`, file, headers);
  });
}

function isBuilt(file: string): boolean {
  return statSync(path.join(webFolder(), file), { throwIfNoEntry: false }) !== undefined;
}

/** A route for one asset, such as `style.css`. */
export function assetRoute(
  urlPath: string,
  file: string,
  headers: Readonly<Record<string, string>> = {},
): Route {
  const contentType = TYPES[path.extname(file)] ?? 'application/octet-stream';
  const caching = contentType.startsWith('image/') ? IMAGE_CACHING : CODE_CACHING;
  return {
    method: 'GET',
    path: urlPath,
    operationId: urlPath,
    summary: 'Asset of a page',
    hidden: true,
    isAsset: true,
    responses: {},
    handler: ({ rawQuery }) => ({
      status: 200,
      headers: {
        'Cache-Control': isHashed(file, rawQuery) ? HASHED_CACHING : caching,
        ...headers,
      },
      body: { kind: 'file', path: path.join(webFolder(), file), contentType, compress: true },
    }),
  };
}

/** Next to the compiled program. Tests run from the sources and use the built files. */
function webFolder(): string {
  const compiled = fileURLToPath(new URL('../../console', import.meta.url));
  if (statSync(path.join(compiled, SCRIPT), { throwIfNoEntry: false })) return compiled;
  return fileURLToPath(new URL('../../../dist/console', import.meta.url));
}
