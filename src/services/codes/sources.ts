/**
 * Fetches files from other web servers, for uploads that name an address instead of sending bytes. Only servers on the
 * operator's list, and only public addresses of them.
 */
import path from 'node:path';
import type { Agent, Dispatcher } from 'undici';
import { Gathered } from '../../http/request/gathered.js';
import { publicAgent } from '../../platform/egress/agents.js';
import { AddressRefused } from '../../platform/egress/public-connector.js';
import { version } from '../../platform/version.js';
import { CodesRefusal } from './errors.js';
import { DEFAULT_FILENAME } from './filename.js';

/** Bytes of a list of addresses, of which the first counts. */
const LIST_BYTES_MAX = 16 * 1024;

export interface SourcesOptions {
  /** Origins, such as `https://media.example.com` or `https://*.example.com`. Empty: fetching is off. */
  readonly origins: readonly string[];
  /** IP addresses that need not be public; for tests. */
  readonly allowed?: ReadonlySet<string> | undefined;
}

export interface SourceFile {
  readonly body: AsyncIterable<Uint8Array>;
  readonly filename: string;
  readonly contentType: string | undefined;
  /** Closes the connection, if the body is not read to its end. */
  readonly discard: () => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Without a byte for this long, a response is given up. */
const STALL_MS = 30_000;
const HEADER_BYTES_MAX = 16 * 1024;
const REDIRECTS_MAX = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class Sources {
  readonly #origins: readonly string[];
  readonly #agent: Agent;

  constructor({ origins, allowed = new Set() }: SourcesOptions) {
    this.#origins = origins;
    const limits = { maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: STALL_MS, bodyTimeout: STALL_MS };
    this.#agent = publicAgent({ allowed, timeoutMs: CONNECT_TIMEOUT_MS }, { ...limits, allowH2: false });
  }

  get isOn(): boolean {
    return this.#origins.length > 0;
  }

  /**
   * Opens the file at an address. Redirects are followed if they stay on the list.
   *
   * @throws {CodesRefusal} `SOURCE_REFUSED` if the address is not on the list or not public, `SOURCE_FAILED` if the
   * server does not send the file
   */
  async open(address: string, signal: AbortSignal): Promise<SourceFile> {
    let url = this.#checked(address);
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
      const response = await this.#request(url, signal);
      const { statusCode, headers, body } = response;
      const location = headers.location;
      if (REDIRECTS.has(statusCode) && typeof location === 'string') {
        discard(body);
        url = this.#checked(location, url);
        continue;
      }
      if (statusCode === 200) return sourceFile(url, response);
      discard(body);
      throw new CodesRefusal('SOURCE_FAILED', { reason: `it responded with status ${statusCode}` });
    }
    throw new CodesRefusal('SOURCE_FAILED', { reason: `it redirected more than ${REDIRECTS_MAX} times` });
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #request(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    try {
      return await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'GET',
        signal,
        headers: { 'user-agent': `isccd/${version}`, 'accept-encoding': 'identity' },
      });
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof AddressRefused) throw refused(url.host, { cause: error });
      throw new CodesRefusal('SOURCE_FAILED', { reason: 'it could not be reached' }, { cause: error });
    }
  }

  #checked(address: string, base?: URL): URL {
    if (!URL.canParse(address, base?.href)) throw refused(address);
    const url = new URL(address, base);
    const isListed = this.#origins.some((origin) => matches(origin, url));
    if (!isListed || url.username !== '' || url.password !== '') throw refused(url.host);
    return url;
  }
}

/**
 * The address in a body of type `text/uri-list` (RFC 2483): the first line that is not a comment.
 *
 * @throws {CodesRefusal} `UPLOAD_SIZE`, or `REQUEST_INVALID` without an address
 */
export async function addressIn(body: AsyncIterable<Uint8Array>): Promise<string> {
  const list = new Gathered();
  for await (const piece of body) {
    if (list.length + piece.length > LIST_BYTES_MAX)
      throw new CodesRefusal('UPLOAD_SIZE', { max: LIST_BYTES_MAX });
    list.add(piece);
  }
  const lines = list
    .take()
    .toString()
    .split(/\r?\n/)
    .map((line) => line.trim());
  const address = lines.find((line) => line !== '' && !line.startsWith('#'));
  if (address === undefined)
    throw new CodesRefusal('REQUEST_INVALID', { reason: 'the list has no address.' });
  return address;
}

/** Whether an entry of the list is the origin of a URL. `*.` stands for one or more labels. */
export function matches(entry: string, url: URL): boolean {
  const star = '://*.';
  const at = entry.indexOf(star);
  if (at < 0) return url.origin === entry;
  const suffix = entry.slice(at + star.length);
  return url.protocol === `${entry.slice(0, at)}:` && url.host.endsWith(`.${suffix}`);
}

function refused(host: string, options?: ErrorOptions): CodesRefusal {
  return new CodesRefusal('SOURCE_REFUSED', { host }, options);
}

function sourceFile(url: URL, { headers, body }: Dispatcher.ResponseData): SourceFile {
  const type = headers['content-type'];
  return {
    body: readable(body),
    discard: () => discard(body),
    filename: filenameOf(url, String(headers['content-disposition'] ?? '')),
    contentType: typeof type === 'string' ? type : undefined,
  };
}

async function* readable(body: Dispatcher.ResponseData['body']): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw new CodesRefusal('SOURCE_FAILED', { reason: 'its response broke off' }, { cause: error });
  }
}

function filenameOf(url: URL, disposition: string): string {
  const extended = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition)?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition);
  const last = extended ?? plain?.[1] ?? plain?.[2] ?? path.posix.basename(url.pathname);
  try {
    return decodeURIComponent(last) || DEFAULT_FILENAME;
  } catch {
    return last || DEFAULT_FILENAME;
  }
}

/** Closes the connection instead of reading a body that is not needed. */
function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {}).destroy();
}
