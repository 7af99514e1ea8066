/**
 * What an address says about the content that it is declared for: objects of iscc-schema, `meta` elements of the page, HTTP
 * headers, and the `tdmrep.json` of its server. Anyone can declare an address, so it is fetched like a gateway.
 */
import { linkedData, metaFields, pageText } from '../../../content/html-rights.js';
import type { RightsField } from '../../../content/rights.js';
import type { Trace } from '../../../platform/observe/trace.js';
import { Slots } from '../../../platform/slots.js';
import { monotonicMs } from '../../../platform/time-limit.js';
import { type Fetched, type GatewayClient, siteOf } from '../gateway-client.js';
import type { Source } from './schema.js';
import { type ServiceMetadata, serviceMetadata } from './service-metadata.js';
import { fieldsAt, TDMREP_PATH, tdmrepEntries } from './tdmrep-file.js';
import { fieldStatements } from './vocabulary.js';

/** Of a page or object; the head of a page is shorter. */
const PAGE_BYTES_MAX = 1024 * 1024;
const FILE_BYTES_MAX = 1024 * 1024;
const WAITING_MAX = 1000;
const ACCEPT = 'application/json, application/ld+json, text/html;q=0.9, */*;q=0.1';
/** How long a file of a server is kept: many declarations of a crawl have the same server. */
const FILE_MS = 5 * 60_000;
const UNREACHABLE_MS = 60_000;
const FILES_MAX = 500;
const VALUE_CHARS_MAX = 2048;

type Part = Pick<Source, 'kind' | 'address' | 'signature' | 'statements' | 'since' | 'sinceFrom'> &
  Pick<Source, 'by' | 'problem' | 'disclosures'> & {
    /** The content that an object names. */
    readonly iscc?: string;
  };
export type AddressPart = Part;

export interface AddressReading {
  /** What was found, one part per place or object. */
  readonly parts: readonly AddressPart[];
  /** Why a part of it could not be read. */
  readonly problem?: string;
}

type Found = Extract<Fetched, { kind: 'found' }>;

export interface AddressReaderOptions {
  readonly timeoutMs: number;
  /** Concurrent requests. */
  readonly parallel: number;
}

export class AddressReader {
  readonly #gateways: GatewayClient;
  readonly #timeoutMs: number;
  readonly #slots: Slots;
  /** By origin, in order of insertion. */
  readonly #files = new Map<string, { readonly file: Promise<Fetched>; untilMs: number }>();

  constructor(gateways: GatewayClient, { timeoutMs, parallel }: AddressReaderOptions) {
    this.#gateways = gateways;
    this.#timeoutMs = timeoutMs;
    this.#slots = new Slots(parallel, WAITING_MAX);
  }

  /** Never rejects. */
  async read(address: string, trace?: Trace): Promise<AddressReading> {
    if (!URL.canParse(address) || !this.#gateways.accepts(new URL(address)))
      return { parts: [], problem: 'the address is not https' };
    const url = new URL(address);
    const limits = { bytesMax: PAGE_BYTES_MAX, head: true, accept: ACCEPT, trace };
    const [page, file] = await Promise.all([this.#get(address, limits), this.#file(url.origin, trace)]);
    const fileParts = file.kind === 'found' ? tdmrepParts(file, url) : [];
    if (page.kind !== 'found')
      return { parts: fileParts, problem: `the address could not be read: ${page.reason}` };
    const parts = [...pageParts(page, address), ...fileParts];
    if (file.kind !== 'unreachable') return { parts };
    return { parts, problem: `${TDMREP_PATH} of its server could not be read: ${file.reason}` };
  }

  async #get(
    address: string,
    limits: Omit<Parameters<GatewayClient['get']>[1], 'timeoutMs'>,
  ): Promise<Fetched> {
    const fetch = () => this.#gateways.get(address, { timeoutMs: this.#timeoutMs, ...limits });
    const fetched = await this.#slots.tryRun(fetch, siteOf(address));
    return fetched ?? { kind: 'unreachable', reason: 'too many requests are waiting' };
  }

  #file(origin: string, trace: Trace | undefined): Promise<Fetched> {
    const now = monotonicMs();
    const known = this.#files.get(origin);
    if (known !== undefined && known.untilMs > now) return known.file;
    const limits = { bytesMax: FILE_BYTES_MAX, accept: 'application/json', trace };
    const entry = { file: this.#get(origin + TDMREP_PATH, limits), untilMs: Number.POSITIVE_INFINITY };
    this.#files.delete(origin);
    this.#files.set(origin, entry);
    void entry.file.then(({ kind }) => {
      entry.untilMs = monotonicMs() + (kind === 'unreachable' ? UNREACHABLE_MS : FILE_MS);
    });
    const [oldest] = this.#files.keys();
    if (this.#files.size > FILES_MAX && oldest !== undefined) this.#files.delete(oldest);
    return entry.file;
  }
}

function pageParts(page: Found, address: string): Part[] {
  const date = dateOf(page);
  const text = pageText(page.bytes);
  const type = textOf(page.headers['content-type']).toLowerCase();
  const isPage = /\bhtml\b/.test(type) || (type === '' && /^\s*</.test(text));
  const objects = (isPage ? linkedData(text) : [text]).flatMap(serviceMetadata);
  const html = isPage ? metaFields(text) : [];
  return [
    ...objects.map((object) => objectPart(object, address, date)),
    ...fieldPart('html', html, address, date),
    ...fieldPart('http', headerFields(page), address, date),
  ];
}

function tdmrepParts(file: Found, url: URL): Part[] {
  const fields = fieldsAt(tdmrepEntries(file.bytes.toString()) ?? [], url.pathname + url.search);
  return fieldPart('tdmrep', fields, url.origin + TDMREP_PATH, dateOf(file));
}

type Dated = Pick<Source, 'since' | 'sinceFrom'>;

function objectPart({ iscc, disclosures, ...object }: ServiceMetadata, address: string, date: Dated): Part {
  return {
    ...object,
    address,
    ...date,
    ...(iscc !== undefined && { iscc }),
    ...(disclosures.length > 0 && { disclosures }),
  };
}

function fieldPart(
  kind: 'html' | 'http' | 'tdmrep',
  fields: readonly RightsField[],
  address: string,
  date: Dated,
): Part[] {
  const cut = fields.map((field) => ({ ...field, value: field.value.slice(0, VALUE_CHARS_MAX) }));
  const statements = fieldStatements(cut);
  return statements.length === 0 ? [] : [{ kind, address, signature: 'none', statements, ...date }];
}

/** `tdm-reservation` and `tdm-policy`. */
function headerFields({ headers }: Found): RightsField[] {
  const names = { 'tdm-reservation': 'tdm:reservation', 'tdm-policy': 'tdm:policy' } as const;
  return Object.entries(names).flatMap(([header, name]) => {
    const value = textOf(headers[header]).trim();
    return value === '' ? [] : [{ place: 'http' as const, name, value }];
  });
}

/** `Last-Modified`, or now: without it, the statement is as old as the response. */
function dateOf({ headers }: Found): Dated {
  const modified = Date.parse(textOf(headers['last-modified']));
  if (Number.isNaN(modified)) return { since: new Date().toISOString(), sinceFrom: 'read' };
  return { since: new Date(modified).toISOString(), sinceFrom: 'server' };
}

/** The first of several headers with one name. */
function textOf(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? '';
}
