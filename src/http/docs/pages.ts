/**
 * Start pages: one frame with the sections of the service, and of its neighbours, with which it forms the console. The
 * sections of a service are `sections.html` in its folder under `dist/console`.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { json } from '../reply/replies.js';
import type { Origins } from '../routing/route.js';
import { type Reply, type Route, route } from '../routing/route.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const FRAME = 'frame.html';
const SECTIONS = 'sections.html';

/** Folders without assets of start pages. */
const OTHER_FOLDERS = ['admin', 'docs'];

/**
 * Scripts and style sheets have no version in their addresses, and a new page must not run with old ones. Browsers ask
 * each time, and the answer is mostly a 304.
 */
export const CODE_CACHING = 'no-cache';
const IMAGE_CACHING = 'public, max-age=3600';

/** The words of one start page. */
export interface StartPage {
  /** Of the service; also the name of its folder. */
  readonly service: string;
  readonly title: string;
  readonly heading: string;
  readonly tagline: string;
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

/** The service's own sections come first. Those of neighbours are hidden until they respond. */
function html({ service, title, heading, tagline }: StartPage, neighbours: Origins): string {
  const others = Object.entries(neighbours);
  const values: Readonly<Record<string, string>> = {
    title: escaped(title),
    heading: escaped(heading),
    tagline: escaped(tagline),
    service,
    neighbours: escaped(others.map(([name, origin]) => `${name}=${origin}`).join(' ')),
    services: [[service, ''], ...others].map(([name = '', origin = '']) => link(name, origin)).join('\n'),
    sections: [
      sections(service, ''),
      ...others.map(
        ([name, origin]) => `<div data-needs="${name}" hidden>\n${sections(name, origin)}</div>\n`,
      ),
    ].join(''),
  };
  return filled(text(FRAME), values);
}

function link(name: string, origin: string): string {
  const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  if (origin === '') return `<li><a href="/" aria-current="page">${label}</a></li>`;
  return `<li data-needs="${name}" hidden><a href="${escaped(origin)}/">${label}</a></li>`;
}

function sections(name: string, origin: string): string {
  return filled(text(path.join(name, SECTIONS)), { at: escaped(origin) });
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
  const entries = readdirSync(webFolder(), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !OTHER_FOLDERS.includes(entry.name));
  return ['', ...folders.map(({ name }) => name)].flatMap((folder) => {
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

/** A route for one asset, such as `style.css`. */
export function assetRoute(urlPath: string, file: string): Route {
  const contentType = assetType(file) ?? 'application/octet-stream';
  const caching = contentType.startsWith('image/') ? IMAGE_CACHING : CODE_CACHING;
  return {
    method: 'GET',
    path: urlPath,
    operationId: urlPath,
    summary: 'Asset of a page',
    hidden: true,
    isAsset: true,
    responses: {},
    handler: () => ({
      status: 200,
      headers: { 'Cache-Control': caching },
      body: { kind: 'file', path: path.join(webFolder(), file), contentType, compress: true },
    }),
  };
}

/** Next to the compiled program. Tests run from the sources and use the built files. */
function webFolder(): string {
  const compiled = fileURLToPath(new URL('../../console', import.meta.url));
  if (statSync(path.join(compiled, 'dom.js'), { throwIfNoEntry: false })) return compiled;
  return fileURLToPath(new URL('../../../dist/console', import.meta.url));
}
