/** Client of the codes service for its page. */

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

/** One processing step and its duration, from the Server-Timing response header. */
export interface Step {
  readonly name: string;
  readonly ms: number;
}

/** A step while the server is processing. */
export interface LiveStep {
  readonly description: string;
  /** Absent until the step is complete. */
  readonly ms?: number;
}

/** A result with its processing steps. */
export interface Processed {
  readonly result: Result;
  readonly steps: readonly Step[];
}

const BASE = '/api/v1';

/** A random key that identifies an upload in progress requests. */
export function newProgressKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Shows the steps of an upload whenever one starts or ends, until all are done or `signal` aborts. */
export async function follow(
  key: string,
  show: (steps: readonly LiveStep[]) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let after = 0, done = false; !done; ) {
    const update = await fetch(`${BASE}/progress/${key}?after=${after}`, { signal })
      .then((response) => (response.ok ? response.json() : undefined))
      .catch(() => undefined);
    // Progress is optional: the response to the upload reports errors and all steps.
    if (update === undefined || signal.aborted) return;
    if (update.changes > after) show(update.steps);
    ({ changes: after, done } = update);
  }
}

/** Uploads a file. `progress` gets the share that has been sent, 0 to 1. `signal` cancels the upload. */
export function upload(
  file: File,
  options: { granular: boolean; semantic: boolean; progressKey: string },
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<Processed> {
  return new Promise((resolve, reject) => {
    // fetch() does not report upload progress.
    const request = new XMLHttpRequest();
    const { granular, semantic, progressKey } = options;
    request.open('POST', `${BASE}/iscc?granular=${granular}&semantic=${semantic}&progress=${progressKey}`);
    request.setRequestHeader('X-Upload-Filename', base64(file.name));
    if (file.type) request.setRequestHeader('Content-Type', file.type);
    request.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 1);
    request.onerror = () => reject(new Error('The connection to the server was lost. Please try again.'));
    request.onabort = () => reject(new Error('Cancelled.'));
    request.onload = () => {
      const steps = timing(request.getResponseHeader('Server-Timing'));
      if (request.status === 201) resolve({ result: JSON.parse(request.responseText), steps });
      else reject(new Error(request.responseText || `The server responded with status ${request.status}.`));
    };
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

/** Decodes a code. @throws with the service's error message */
export async function explain(code: string): Promise<Explained> {
  const response = await successful(fetch(`${BASE}/explain/${encodeURIComponent(code.trim())}`));
  return response.json();
}

/** Metadata embedded in the stored file. */
export async function metadata(mediaId: string): Promise<Record<string, string>> {
  return (await successful(fetch(`${BASE}/metadata/${mediaId}`))).json();
}

/** Embeds metadata into a copy and generates the copy's code. */
export async function embed(mediaId: string, fields: Record<string, string>): Promise<Processed> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify(fields);
  const response = await successful(fetch(`${BASE}/metadata/${mediaId}`, { method: 'POST', headers, body }));
  return { result: await response.json(), steps: timing(response.headers.get('Server-Timing')) };
}

/** Resolves to a successful response. @throws with the service's error message */
async function successful(request: Promise<Response>): Promise<Response> {
  const response = await request.catch(() => {
    throw new Error('The server is unreachable. Please try again.');
  });
  if (response.ok) return response;
  throw new Error((await response.text()) || `The server responded with status ${response.status}.`);
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function timing(header: string | null): Step[] {
  const steps = (header ?? '').matchAll(/[\w-]+;desc="([^"]*)";dur=([\d.]+)/g);
  return [...steps].map(([, name = '', ms]) => ({ name, ms: Number(ms) }));
}
