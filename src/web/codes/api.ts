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

/** One step of the pipeline and what it took, from the answer's Server-Timing header. */
export interface Step {
  readonly name: string;
  readonly milliseconds: number | undefined;
}

const BASE = '/api/v1';

/** Uploads a file; `progress` gets the share that was sent, 0 to 1. */
export function upload(
  file: File,
  options: { granular: boolean; semantic: boolean },
  progress: (share: number) => void,
): Promise<{ result: Result; steps: Step[] }> {
  return new Promise((resolve, reject) => {
    // fetch() can't tell how much of a body has been sent.
    const request = new XMLHttpRequest();
    request.open('POST', `${BASE}/iscc?granular=${options.granular}&semantic=${options.semantic}`);
    request.setRequestHeader('X-Upload-Filename', base64(file.name));
    if (file.type) request.setRequestHeader('Content-Type', file.type);
    request.upload.onprogress = (event) => progress(event.total ? event.loaded / event.total : 1);
    request.onerror = () => reject(new Error('The connection broke.'));
    request.onload = () => {
      if (request.status !== 201) reject(new Error(request.responseText || `Status ${request.status}`));
      else
        resolve({
          result: JSON.parse(request.responseText),
          steps: timing(request.getResponseHeader('Server-Timing')),
        });
    };
    request.send(file);
  });
}

/** What is in a code; the error's message is the service's. */
export async function explain(code: string): Promise<Explained> {
  return json(await fetch(`${BASE}/explain/${encodeURIComponent(code.trim())}`));
}

/** Metadata found in the stored file. */
export async function metadata(mediaId: string): Promise<Record<string, string>> {
  return json(await fetch(`${BASE}/metadata/${mediaId}`));
}

/** Embeds metadata into a copy and makes its code. */
export async function embed(mediaId: string, fields: Record<string, string>): Promise<Result> {
  const headers = { 'Content-Type': 'application/json' };
  return json(
    await fetch(`${BASE}/metadata/${mediaId}`, { method: 'POST', headers, body: JSON.stringify(fields) }),
  );
}

async function json<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error((await response.text()) || `Status ${response.status}`);
  return (await response.json()) as T;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function timing(header: string | null): Step[] {
  return (header ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const [name = '', ...parameters] = part.split(';');
      const duration = parameters.find((parameter) => parameter.trim().startsWith('dur='));
      return { name, milliseconds: duration ? Number(duration.trim().slice(4)) : undefined };
    });
}
