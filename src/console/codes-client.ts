/** Client of the codes service. */

import { bytesText } from './dom.js';
import { t } from './language.js';
import { failure, filenameParameter, listRequest, RequestFailed, send, sendJson } from './requests.js';
import { addressOf } from './services.js';

export interface Unit {
  readonly iscc_unit: string;
  readonly readable: string;
  readonly hash_bits: string;
}

export interface Explained {
  readonly iscc: string;
  readonly readable: string;
  readonly multiformat: string;
  readonly decomposed: string;
  readonly units: readonly Unit[];
}

/** Simprints of one type: parallel lists. */
export interface Feature {
  readonly maintype: string;
  readonly subtype: string;
  readonly version: number;
  /** Absent if offsets and sizes are milliseconds. */
  readonly byte_offsets?: boolean;
  readonly simprints: readonly string[];
  readonly offsets?: readonly number[];
  readonly sizes?: readonly number[];
}

export interface Result {
  readonly iscc: string;
  /** Of the file at the server; absent if it has not left this computer. */
  readonly media_id?: string;
  readonly units?: readonly string[];
  readonly features?: readonly Feature[];
  readonly thumbnail?: string;
  readonly [field: string]: unknown;
}

/** One processing step and its duration, from the Server-Timing response header. */
export interface Step {
  readonly name: string;
  /** Absent until the step is complete. */
  readonly ms?: number | undefined;
}

/** A result with its processing steps at the server. */
export interface Processed {
  readonly result: Result;
  readonly steps: readonly Step[];
}

export interface UploadOptions {
  readonly granular: boolean;
  readonly semantic: boolean;
  /** Gets the share that has been sent, 0 to 1. */
  readonly onSent: (share: number) => void;
  /** Gets the steps whenever one starts or ends. */
  readonly onSteps: (steps: readonly Step[]) => void;
  /** Cancels the upload. */
  readonly signal: AbortSignal;
}

const BASE = '/api/v1';

/** Uploads a file, reports its progress, and resolves to its result. @throws {RequestFailed} */
export async function upload(file: File, options: UploadOptions): Promise<Processed> {
  const key = newProgressKey();
  const following = new AbortController();
  let hasFailed = false;
  void follow(key, options.onSteps, following.signal, () => hasFailed);
  try {
    const processed = await post(file, key, options);
    following.abort();
    return processed;
  } catch (error) {
    // The steps until the failure may arrive after the response.
    hasFailed = true;
    if (options.signal.aborted) following.abort();
    throw error;
  }
}

/** A random key that identifies an upload in progress requests. */
function newProgressKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Shows the steps of an upload whenever one starts or ends, until all are done, `signal` aborts, or a failed one has no news. */
async function follow(
  key: string,
  show: (steps: readonly Step[]) => void,
  signal: AbortSignal,
  hasFailed: () => boolean,
): Promise<void> {
  for (let after = 0, done = false; !done; ) {
    const update = await fetch(addressOf('codes', `${BASE}/progress/${key}?after=${after}`), { signal })
      .then((response) => (response.ok ? response.json() : undefined))
      .catch(() => undefined);
    // Progress is optional: the response to the upload reports errors and all steps.
    if (update === undefined || signal.aborted) return;
    const steps = update.steps as { description: string; ms?: number }[];
    if (update.changes > after) show(steps.map(({ description: name, ms }) => ({ name, ms })));
    else if (hasFailed()) return;
    ({ changes: after, done } = update);
  }
}

function post(file: File, key: string, options: UploadOptions): Promise<Processed> {
  const { granular, semantic, onSent, signal } = options;
  const path = `${BASE}/iscc?${filenameParameter(file)}&granular=${granular}&semantic=${semantic}`;
  const headers: Record<string, string> = file.type ? { 'Content-Type': file.type } : {};
  listRequest('codes', path, { method: 'POST', headers, file });
  return new Promise((resolve, reject) => {
    // fetch() does not report upload progress.
    const request = new XMLHttpRequest();
    request.open('POST', addressOf('codes', `${path}&progress=${key}`));
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => onSent(event.total ? event.loaded / event.total : 1);
    request.onerror = () => reject(new Error(t('The connection to the server was lost. Please try again.')));
    request.onabort = () => reject(new Error(t('Cancelled.')));
    request.onload = () => {
      const { status, responseText } = request;
      const steps = timing(request.getResponseHeader('Server-Timing'));
      if (status === 201) resolve({ result: JSON.parse(responseText), steps });
      else reject(new RequestFailed(status, uploadFailure(responseText, status)));
    };
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

/** Users cannot act on a header of the request. */
function uploadFailure(text: string, status: number): string {
  const [, max] = /Content-Length must be > 0 and < (\d+)/.exec(text) ?? [];
  if (max === undefined) return failure(text, status);
  return t('The file is larger than {0}, the limit of this server.', bytesText(Number(max)));
}

/** Decodes a code. @throws {RequestFailed} */
export function explain(code: string): Promise<Explained> {
  return sendJson('codes', `${BASE}/explain/${encodeURIComponent(code.trim())}`);
}

/** A file that the service keeps until it expires. */
export interface Media {
  readonly media_id: string;
}

/** Uploads a file without processing it. @throws {RequestFailed} */
export function store(file: File, signal: AbortSignal): Promise<Media> {
  const path = `${BASE}/media?${filenameParameter(file)}`;
  return sendJson('codes', path, { method: 'POST', file, signal });
}

/** Metadata embedded in the stored file. @throws {RequestFailed} */
export function metadata(mediaId: string): Promise<Record<string, string>> {
  return sendJson('codes', `${BASE}/metadata/${mediaId}`);
}

/** Embeds metadata into a copy and generates the copy's code. @throws {RequestFailed} */
export async function embed(mediaId: string, fields: Record<string, string>): Promise<Processed> {
  const response = await send('codes', `${BASE}/metadata/${mediaId}`, { method: 'POST', json: fields });
  return { result: await response.json(), steps: timing(response.headers.get('Server-Timing')) };
}

/** Simprints of a text by type. @throws {RequestFailed} */
export function simprint(text: string): Promise<Record<string, string[]>> {
  return sendJson('codes', `${BASE}/simprint`, { method: 'POST', json: { text } });
}

/** The address of the stored file. */
export function downloadAddress(id: string): string {
  return addressOf('codes', `${BASE}/media/${id}`);
}

function timing(header: string | null): Step[] {
  const steps = (header ?? '').matchAll(/[\w-]+;desc="([^"]*)";dur=([\d.]+)/g);
  return [...steps].map(([, name = '', ms]) => ({ name, ms: Number(ms) }));
}
