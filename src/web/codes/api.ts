/** The codes service as the page uses it. */

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

export interface Result {
  readonly iscc: string;
  readonly media_id: string;
  readonly content: string;
  readonly units?: readonly string[];
  readonly thumbnail?: string;
  readonly [field: string]: unknown;
}

/** One step of the work and what it took, from the answer's Server-Timing header. */
export interface Step {
  readonly name: string;
  readonly ms: number;
}

/** A step while the server works. */
export interface LiveStep {
  readonly description: string;
  /** Absent until it is over. */
  readonly ms?: number;
}

/** A result with what the server did for it. */
export interface Made {
  readonly result: Result;
  readonly steps: readonly Step[];
}

const BASE = '/api/v1';

/** Under which the server is asked how far it is. */
export function newProgressKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Shows the steps of an upload each time one begins or ends, until it is done or `signal` ends it. */
export async function follow(
  key: string,
  show: (steps: readonly LiveStep[]) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let after = 0, done = false; !done; ) {
    const news = await fetch(`${BASE}/progress/${key}?after=${after}`, { signal })
      .then((response) => (response.ok ? response.json() : undefined))
      .catch(() => undefined);
    // It is a courtesy: the upload itself tells what went wrong, and its answer all the steps.
    if (news === undefined || signal.aborted) return;
    if (news.changes > after) show(news.steps);
    ({ changes: after, done } = news);
  }
}

/** Uploads a file; `progress` gets the share that was sent, 0 to 1. Aborting `signal` ends it. */
export function upload(
  file: File,
  options: { granular: boolean; semantic: boolean; progressKey: string },
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<Made> {
  return new Promise((resolve, reject) => {
    // fetch() can't tell how much of a body has been sent.
    const request = new XMLHttpRequest();
    const { granular, semantic, progressKey } = options;
    request.open('POST', `${BASE}/iscc?granular=${granular}&semantic=${semantic}&progress=${progressKey}`);
    request.setRequestHeader('X-Upload-Filename', base64(file.name));
    if (file.type) request.setRequestHeader('Content-Type', file.type);
    request.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 1);
    request.onerror = () => reject(new Error('The connection to the server broke. Please try again.'));
    request.onabort = () => reject(new Error('Cancelled.'));
    request.onload = () => {
      const steps = timing(request.getResponseHeader('Server-Timing'));
      if (request.status === 201) resolve({ result: JSON.parse(request.responseText), steps });
      else reject(new Error(request.responseText || `The server answered with status ${request.status}.`));
    };
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

/** What is in a code; the error's message is the service's. */
export async function explain(code: string): Promise<Explained> {
  const response = await answered(fetch(`${BASE}/explain/${encodeURIComponent(code.trim())}`));
  return response.json();
}

/** Metadata found in the stored file. */
export async function metadata(mediaId: string): Promise<Record<string, string>> {
  return (await answered(fetch(`${BASE}/metadata/${mediaId}`))).json();
}

/** Embeds metadata into a copy and makes its code. */
export async function embed(mediaId: string, fields: Record<string, string>): Promise<Made> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify(fields);
  const response = await answered(fetch(`${BASE}/metadata/${mediaId}`, { method: 'POST', headers, body }));
  return { result: await response.json(), steps: timing(response.headers.get('Server-Timing')) };
}

/** The answer if it is a good one; else throws what the service says. */
async function answered(request: Promise<Response>): Promise<Response> {
  const response = await request.catch(() => {
    throw new Error('The server can not be reached. Please try again.');
  });
  if (response.ok) return response;
  throw new Error((await response.text()) || `The server answered with status ${response.status}.`);
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function timing(header: string | null): Step[] {
  const steps = (header ?? '').matchAll(/[\w-]+;desc="([^"]*)";dur=([\d.]+)/g);
  return [...steps].map(([, name = '', ms]) => ({ name, ms: Number(ms) }));
}
