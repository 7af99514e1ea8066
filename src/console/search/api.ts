/** Client of the search service. */

import { byId } from '../dom.js';
import { t } from '../language.js';
import { failure, RequestFailed, type Sending, send, sendJson } from '../requests.js';

export interface Query {
  /** Of a stored asset, which the search finds as well. */
  readonly iscc_id?: string;
  readonly iscc_code?: string;
  readonly units?: readonly string[];
  /** By type, e.g. `CONTENT_TEXT_V0`. */
  readonly simprints?: Readonly<Record<string, readonly string[]>>;
}

export interface Match {
  readonly iscc_id: string;
  readonly score: number;
  readonly types: Readonly<Record<string, number>>;
  readonly metadata: unknown;
}

/** A passage of the query and a passage of the asset. */
export interface Chunk {
  readonly query: string;
  readonly match: string;
  readonly score: number;
  /** Of the passage in the asset, in bytes. */
  readonly offset: number;
  readonly size: number;
}

export interface ChunkMatch {
  readonly iscc_id: string;
  readonly score: number;
  readonly types: Readonly<
    Record<string, { readonly matches: number; readonly queried: number; readonly chunks: readonly Chunk[] }>
  >;
  readonly metadata: unknown;
}

export interface Found {
  readonly query: Query;
  readonly global_matches: readonly Match[];
  readonly chunk_matches: readonly ChunkMatch[];
}

export interface Index {
  readonly name: string;
  readonly assets?: number;
  /** MiB, rounded down. */
  readonly size?: number;
  /** Absent if it is ready. */
  readonly state?: 'loading' | 'damaged';
  readonly reason?: string;
}

export interface Simprint {
  readonly simprint: string;
  readonly offset: number;
  readonly size: number;
}

export interface Entry {
  readonly iscc_id: string;
  readonly iscc_code?: string;
  readonly units?: readonly string[];
  readonly simprints?: Readonly<Record<string, readonly Simprint[]>>;
  readonly metadata?: unknown;
}

/** A hub that the service follows. */
export interface Hub {
  readonly hub_id: number;
  readonly url: string;
  readonly state: string;
  readonly ok: boolean;
  readonly cursor: number;
  readonly tree_size: number | null;
  readonly root: string | null;
  readonly key_id: string | null;
  readonly last_poll: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly alarm: { readonly kind: string; readonly since: string; readonly evidence: number | null } | null;
}

export interface Status {
  readonly mode: string;
  readonly network: string | null;
  readonly index_name?: string;
  readonly list?: { readonly read: string | null; readonly ok: boolean };
  readonly hubs?: readonly Hub[];
}

const STORED_KEY = 'isccd-api-key';

/** Restores the API key of this tab, and calls `onChange` when the user changes it. */
export function keyField(onChange: () => void): void {
  const field = byId('key', HTMLInputElement);
  field.value = sessionStorage.getItem(STORED_KEY) ?? '';
  field.addEventListener('change', () => {
    sessionStorage.setItem(STORED_KEY, field.value);
    onChange();
  });
}

export function getStatus(): Promise<Status> {
  return sendJson('search', '/status');
}

export function listIndexes(): Promise<Index[]> {
  return keyed('/indexes');
}

export function createIndex(name: string): Promise<Index> {
  return keyed('/indexes', { method: 'POST', json: { name } });
}

/** The matches, without their pictures: see {@link getThumbnail}. */
export function search(index: string, query: Query, limit: number): Promise<Found> {
  const path = `${pathOf(index)}/search?limit=${limit}&fields=-thumbnail`;
  return keyed(path, { method: 'POST', json: query });
}

export function getAsset(index: string, isccId: string): Promise<Entry> {
  return keyed(assetPath(index, isccId));
}

/** The picture in the metadata of an asset. Any value: metadata are the client's. */
export async function getThumbnail(index: string, isccId: string): Promise<unknown> {
  const { metadata } = await keyed<Entry>(`${assetPath(index, isccId)}?fields=thumbnail`);
  return (metadata as { readonly thumbnail?: unknown } | undefined)?.thumbnail;
}

/**
 * The next assets of an index, in the order of their ids.
 *
 * @param filter condition on the metadata; the empty text stands for none
 */
export function listAssets(
  index: string,
  {
    after,
    limit,
    filter,
  }: { readonly after: string | undefined; readonly limit: number; readonly filter: string },
): Promise<Entry[]> {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(after !== undefined && { after }),
    ...(filter !== '' && { filter }),
  });
  return keyed(`${pathOf(index)}/assets?${query}`);
}

/** One asset of an index; `undefined` if it is empty. */
export async function anyAsset(index: string): Promise<Entry | undefined> {
  return (await keyed<Entry[]>(`${pathOf(index)}/assets?limit=1`))[0];
}

/** Adds or updates an asset. */
export async function addAsset(index: string, entry: Entry): Promise<'created' | 'updated'> {
  const json = [entry];
  const added = await keyed<{ status: 'created' | 'updated' }[]>(`${pathOf(index)}/assets`, {
    method: 'POST',
    json,
  });
  return added[0]?.status ?? 'created';
}

const LINES_TYPE = 'application/x-ndjson';

/** Gives an index another name. */
export function renameIndex(index: string, name: string): Promise<Index> {
  return keyed(`${pathOf(index)}/rename`, { method: 'POST', json: { name } });
}

export async function deleteIndex(index: string): Promise<void> {
  await keyedResponse(pathOf(index), { method: 'DELETE' });
}

/** All assets as JSON lines; `undefined` above this size. */
export async function exportLines(
  index: string,
  signal: AbortSignal,
  bytesMax: number,
): Promise<Blob | undefined> {
  const headers = { Accept: LINES_TYPE };
  const { body } = await keyedResponse(`${pathOf(index)}/assets`, { headers, signal });
  if (body === null) return new Blob([]);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = body.getReader(); ; ) {
    const { value, done } = await reader.read();
    if (done) return new Blob(pieces, { type: LINES_TYPE });
    size += value.length;
    pieces.push(value);
    if (size <= bytesMax) continue;
    await reader.cancel();
    return undefined;
  }
}

export interface AddedLines {
  readonly created: number;
  readonly updated: number;
  /** Lines that break a rule. */
  readonly refused: number;
  /** Why the first of them does. */
  readonly reason: string | undefined;
}

/** On a group of lines, or at the end the failure of the request. */
interface LineReport {
  readonly created?: number;
  readonly updated?: number;
  readonly refused?: readonly { readonly line: number; readonly detail?: unknown }[];
  readonly status?: number;
  readonly detail?: unknown;
}

/** Adds assets as JSON lines; others than those that break a rule are added. */
export async function addLines(index: string, file: File, signal: AbortSignal): Promise<AddedLines> {
  const headers = { 'Content-Type': LINES_TYPE };
  const response = await keyedResponse(`${pathOf(index)}/assets`, { method: 'POST', headers, file, signal });
  const reports = (await response.text()).split('\n').filter(Boolean);
  let [created, updated] = [0, 0];
  const refused: string[] = [];
  for (const text of reports) {
    const report = JSON.parse(text) as LineReport;
    if (report.status !== undefined) throw new Error(failure(text, report.status));
    created += report.created ?? 0;
    updated += report.updated ?? 0;
    for (const { line, detail } of report.refused ?? [])
      refused.push(t('line {0}: {1}', line, failure(JSON.stringify({ detail }), 422)));
  }
  return { created, updated, refused: refused.length, reason: refused[0] };
}

function pathOf(index: string): string {
  return `/indexes/${encodeURIComponent(index)}`;
}

function assetPath(index: string, isccId: string): string {
  return `${pathOf(index)}/assets/${encodeURIComponent(isccId)}`;
}

async function keyed<T>(path: string, sending: Sending = {}): Promise<T> {
  return (await keyedResponse(path, sending)).json();
}

async function keyedResponse(path: string, sending: Sending): Promise<Response> {
  const key = byId('key', HTMLInputElement).value;
  const headers = { ...sending.headers, ...(key !== '' && { 'X-API-Key': key }) };
  try {
    return await send('search', path, { ...sending, headers });
  } catch (error) {
    if (!(error instanceof RequestFailed) || error.status !== 401) throw error;
    byId('options', HTMLDetailsElement).open = true;
    throw new Error(
      key === ''
        ? t('The search service requires an API key: {0}', error.message)
        : t('The search service refuses this API key: {0}', error.message),
    );
  }
}

/** A query that reports the assets that match it. */
export interface Watch {
  readonly id: string;
  readonly query: Query;
  readonly same_as?: string;
  readonly threshold?: number;
  readonly webhook?: string;
  /** In the response to the request that made it. */
  readonly secret?: string;
  readonly delivery?: {
    readonly delivered: number;
    readonly waiting: number;
    readonly error: string | null;
  };
}

export interface WatchEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data?: {
    readonly iscc_id?: string;
    readonly matches?: boolean;
    readonly global_match?: Match | null;
    readonly chunk_match?: ChunkMatch | null;
  };
}

export function listWatches(index: string): Promise<{ watches: Watch[]; next: string | null }> {
  return keyed(`${pathOf(index)}/watches`);
}

export function putWatch(index: string, id: string, settings: unknown): Promise<Watch> {
  return keyed(watchPath(index, id), { method: 'PUT', json: settings });
}

export async function deleteWatch(index: string, id: string): Promise<void> {
  await keyedResponse(watchPath(index, id), { method: 'DELETE' });
}

/** Calls `take` with all events that are kept and those to come. Resolves when the stream ends or the signal aborts. */
export async function watchEvents(
  index: string,
  id: string,
  take: (event: WatchEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const { body } = await keyedResponse(`${watchPath(index, id)}/events`, { signal });
  let text = '';
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || signal.aborted) return;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [data] = block.split('\n').filter((line) => line.startsWith('data:'));
      if (data !== undefined) take(JSON.parse(data.slice('data:'.length)) as WatchEvent);
    }
  }
}

function watchPath(index: string, id: string): string {
  return `${pathOf(index)}/watches/${encodeURIComponent(id)}`;
}
