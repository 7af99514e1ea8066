/** Sends hostile files to the codes service and judges its responses. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, postJson, upload } from '../../codes/support/client.js';
import type { ServedProcess } from '../../support/serve.js';

/** Refusals of bad files. */
export const REFUSALS = [400, 413, 415, 422];
const RETRIES = 20;

export interface Verdict {
  readonly status: number;
  readonly seconds: number;
  /** The body of a refusal. */
  readonly text?: string;
  /** What is wrong with the response; absent if nothing is. */
  readonly fault?: string;
}

/** Uploads a file and deletes it again. 503 with `Retry-After` is a right answer: the upload is repeated. */
export async function codeOf(url: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Verdict> {
  for (let attempt = 0; ; attempt += 1) {
    const { response, seconds, failure } = await timed(() => upload(url, name, bytes));
    if (response === undefined) return { status: 0, seconds, fault: `no response: ${failure}` };
    if (response.status === 503 && response.headers.has('retry-after') && attempt < RETRIES) {
      await response.arrayBuffer();
      await sleep(500);
      continue;
    }
    if (response.status === 201) {
      const { media_id } = await bodyOf(response);
      await fetch(`${url}/api/v1/media/${media_id}`, { method: 'DELETE' });
      return { status: 201, seconds };
    }
    const text = await response.text();
    return { status: response.status, seconds, ...faultOf(response.status, text) };
  }
}

/** Stores a file, reads its metadata and embeds some, and deletes the file. */
export async function metadataOf(
  url: string,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Verdict> {
  const stored = await upload(url, name, bytes, { to: 'media' });
  if (stored.status !== 201)
    return { status: stored.status, seconds: 0, ...faultOf(stored.status, await stored.text()) };
  const { media_id } = await bodyOf(stored);
  const address = `${url}/api/v1/metadata/${media_id}`;
  const start = performance.now();
  const verdicts: Verdict[] = [];
  for (const request of [() => fetch(address), () => postJson(url, `/metadata/${media_id}`, { name: 'x' })]) {
    const { response, seconds, failure } = await timed(request);
    const status = response?.status ?? 0;
    const text = (await response?.text()) ?? '';
    const fault = response === undefined ? { fault: `no response: ${failure}` } : faultOf(status, text);
    verdicts.push({ status, seconds, ...(status !== 200 && status !== 201 && fault) });
  }
  await fetch(`${url}/api/v1/media/${media_id}`, { method: 'DELETE' });
  const worst = verdicts.find(({ fault }) => fault !== undefined) ??
    verdicts.find(({ text }) => text !== undefined) ?? { status: 200 };
  return { ...worst, seconds: (performance.now() - start) / 1000 };
}

function faultOf(status: number, text: string): Pick<Verdict, 'text' | 'fault'> {
  return REFUSALS.includes(status) ? { text } : { fault: `status ${status}: ${text.slice(0, 200)}` };
}

async function timed(
  request: () => Promise<Response>,
): Promise<{ response?: Response; seconds: number; failure?: string }> {
  const start = performance.now();
  try {
    const response = await request();
    return { response, seconds: (performance.now() - start) / 1000 };
  } catch (error) {
    return { failure: String(error), seconds: (performance.now() - start) / 1000 };
  }
}

/** Keeps a file that the service answered wrongly, and returns its path. */
export async function keep(name: string, bytes: Uint8Array): Promise<string> {
  const folder = path.join(tmpdir(), 'isccd-torture-findings');
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, name);
  await writeFile(file, bytes);
  return file;
}

/** Peak memory of a process in MB. */
export async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}

/** Log lines of errors that a server has printed. */
export function errorLines(served: Pick<ServedProcess, 'output'>): string[] {
  return served
    .output()
    .split('\n')
    .filter((line) => /"level":(50|60)|\b(ERROR|FATAL)\b/.test(line));
}
