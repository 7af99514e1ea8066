/** All requests of the page: they are listed as curl commands, and errors have the service's own words. */

import { byId, copyButton, element } from './dom.js';
import { t } from './language.js';
import { addressOf, type ServiceName } from './services.js';

/** What a request sends. */
export interface Sending {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly file?: File;
  readonly signal?: AbortSignal;
}

const LISTED_MAX = 50;
const CURL_JSON_CHARS_MAX = 20_000;
/** Headers whose values are secrets, and what stands in a command for them. */
const SECRETS: Readonly<Record<string, string>> = {
  'X-API-Key': '$ISCCD_API_KEY',
  Authorization: 'Bearer $ISCCD_STORE_TOKEN',
};
export const UNREACHABLE = t('The server is unreachable. Please try again.');

/** A failed response, in the service's own words. */
export class RequestFailed extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Sends a request and resolves to a successful response. @throws {RequestFailed} or, without a response, `Error` */
export async function send(service: ServiceName, path: string, sending: Sending = {}): Promise<Response> {
  const { method = 'GET', json, file, signal = null } = sending;
  listRequest(service, path, sending);
  const headers = { ...(json !== undefined && { 'Content-Type': 'application/json' }), ...sending.headers };
  const body = json === undefined ? (file ?? null) : JSON.stringify(json);
  const request = fetch(addressOf(service, path), { method, headers, body, signal });
  const response = await request.catch((error: Error) => {
    throw error.name === 'AbortError' ? new Error(t('Cancelled.')) : new Error(UNREACHABLE);
  });
  if (response.ok) return response;
  throw new RequestFailed(response.status, failure(await response.text(), response.status));
}

/** The query parameter that names a file to the server. */
export function filenameParameter({ name }: File): string {
  return new URLSearchParams({ filename: name }).toString();
}

/** The JSON of a successful response. @throws {RequestFailed} */
export async function sendJson<T>(service: ServiceName, path: string, sending: Sending = {}): Promise<T> {
  return (await send(service, path, sending)).json();
}

/** The message of an error response: the `detail` of JSON, else the text. HTML is that of a proxy, and is not shown. */
export function failure(text: string, status: number): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    return detailText(detail) || text;
  } catch {
    return text === '' || /^\s*</.test(text) ? statusText(status) : text;
  }
}

/** What a status means for the user if the response does not say it. */
function statusText(status: number): string {
  if (status === 401 || status === 403)
    return t('The server or a proxy in front of it refuses the request (status {0}).', status);
  if (status === 413)
    return t('The upload is too large for the server or a proxy in front of it (status {0}).', status);
  if (status >= 502 && status <= 504)
    return t('The server is unreachable (status {0}). Please try again.', status);
  return t('The server responded with status {0}.', status);
}

function detailText(detail: unknown): string {
  if (!Array.isArray(detail)) return typeof detail === 'string' ? detail : '';
  return detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
}

/** Adds a request to the list of the page. A request that repeats moves to the top. */
export function listRequest(service: ServiceName, path: string, sending: Sending = {}): void {
  const list = byId('requests-list', HTMLOListElement);
  const command = curl(new URL(addressOf(service, path), location.href).href, sending);
  for (const item of list.children) if (item.getAttribute('data-command') === command) item.remove();
  const title = `${sending.method ?? 'GET'} ${path}`;
  const item = element(
    'li',
    { 'data-command': command },
    element('code', {}, title),
    copyButton(command, title, 'Copy as curl'),
  );
  list.prepend(item);
  if (list.children.length > LISTED_MAX) list.lastElementChild?.remove();
  byId('requests', HTMLElement).hidden = false;
}

/** The request as a command for a POSIX shell. */
export function curl(url: string, { method = 'GET', headers = {}, json, file }: Sending): string {
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) {
    const secret = SECRETS[name];
    lines.push(secret === undefined ? `-H ${quoted(`${name}: ${value}`)}` : `-H "${name}: ${secret}"`);
  }
  if (json !== undefined) {
    const text = JSON.stringify(json);
    const isLong = text.length > CURL_JSON_CHARS_MAX;
    lines.push(`-H 'Content-Type: application/json'`);
    lines.push(isLong ? '--data-binary @request.json' : `--data-binary ${quoted(text)}`);
  }
  if (file !== undefined) lines.push(`--data-binary ${quoted(`@${file.name}`)}`);
  return lines.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
