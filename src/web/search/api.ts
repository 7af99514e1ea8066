/** Client of the search service for its page. */

export interface Query {
  readonly iscc_code?: string;
  readonly units?: readonly string[];
}

export interface Match {
  readonly iscc_id: string;
  readonly score: number;
  readonly types: Readonly<Record<string, number>>;
  readonly metadata: unknown;
}

export interface Found {
  readonly query: Query;
  readonly global_matches: readonly Match[];
}

/** Names of all indexes. */
export async function listIndexes(key: string): Promise<string[]> {
  const indexes = await json<{ name: string }[]>(fetch('/indexes', { headers: headers(key) }));
  return indexes.map(({ name }) => name);
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

export async function getStatus(): Promise<Status> {
  return json(fetch('/status'));
}

export async function search(index: string, query: Query, limit: number, key: string): Promise<Found> {
  const path = `/indexes/${encodeURIComponent(index)}/search?limit=${limit}`;
  return json(fetch(path, { method: 'POST', headers: headers(key), body: JSON.stringify(query) }));
}

export async function getAsset(index: string, isccId: string, key: string): Promise<{ units?: string[] }> {
  const path = `/indexes/${encodeURIComponent(index)}/assets/${encodeURIComponent(isccId)}`;
  return json(fetch(path, { headers: headers(key) }));
}

function headers(key: string): Record<string, string> {
  return { 'Content-Type': 'application/json', ...(key ? { 'X-API-Key': key } : {}) };
}

async function json<T>(request: Promise<Response>): Promise<T> {
  const response = await request.catch(() => {
    throw new Error('The server is unreachable. Please try again.');
  });
  const body = await response.json().catch(() => ({}));
  if (response.status === 401) throw new Error('This service requires an API key.');
  if (!response.ok)
    throw new Error(message(body.detail) || `The server responded with status ${response.status}.`);
  return body as T;
}

function message(detail: unknown): string {
  if (!Array.isArray(detail)) return String(detail ?? '');
  return detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
}
