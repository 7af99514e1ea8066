/** The search backend over HTTP: service 2, or any server with its API. */
import { type Dispatcher, errors, Pool } from 'undici';
import { TRACEPARENT, type Trace, traceparent } from '../observe/trace.js';
import { BackendFailed, type SearchBackend } from './search-backend.js';

const CONNECTIONS_MAX = 128;
/** A hundred assets with all they may carry; more is no answer to our questions. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const NO_SUCH_ASSET = [400, 404];

export interface HttpBackendOptions {
  /** Base address, without a slash at its end. */
  readonly url: string;
  readonly index: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
}

interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly trace?: Trace | undefined;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

export class HttpBackend implements SearchBackend {
  readonly #pool: Pool;
  readonly #base: string;
  readonly #index: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;

  constructor({ url, index, apiKey, timeoutMs }: HttpBackendOptions) {
    const { origin, pathname } = new URL(url);
    this.#pool = new Pool(origin, { connections: CONNECTIONS_MAX, connect: { timeout: timeoutMs } });
    this.#base = pathname.replace(/\/+$/, '');
    this.#index = `${this.#base}/indexes/${encodeURIComponent(index)}`;
    this.#headers = { accept: 'application/json', ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) };
    this.#timeoutMs = timeoutMs;
  }

  async search(units: readonly string[], limit: number, trace?: Trace): Promise<unknown> {
    const target = `${this.#index}/search?limit=${limit}`;
    const { status, text } = await this.#ask({ method: 'POST', path: target, body: { units }, trace });
    if (status !== 200) throw new BackendFailed(`search answered ${status}`);
    return parsed(text);
  }

  async asset(isccId: string, trace?: Trace): Promise<unknown> {
    const path = `${this.#index}/assets/${encodeURIComponent(isccId)}`;
    const { status, text } = await this.#ask({ method: 'GET', path, trace });
    if (NO_SUCH_ASSET.includes(status)) return undefined;
    if (status !== 200) throw new BackendFailed(`asset answered ${status}`);
    return parsed(text);
  }

  async isReady(): Promise<boolean> {
    try {
      return (await this.#ask({ method: 'GET', path: `${this.#base}/readyz` })).status === 200;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** One question, asked again when a connection that had been idle turns out to be closed. */
  async #ask(question: Question): Promise<Answer> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      return await this.#send(question, signal).catch((error) => {
        if (!wasClosed(error)) throw error;
        return this.#send(question, signal);
      });
    } catch (error) {
      if (error instanceof BackendFailed) throw error;
      throw new BackendFailed('the search backend can not be reached', { cause: error });
    }
  }

  async #send({ method, path, body, trace }: Question, signal: AbortSignal): Promise<Answer> {
    const headers = {
      ...this.#headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(trace !== undefined && { [TRACEPARENT]: traceparent(trace) }),
    };
    const content = body === undefined ? null : JSON.stringify(body);
    const response = await this.#pool.request({ method, path, headers, body: content, signal });
    return { status: response.statusCode, text: await textOf(response) };
  }
}

function wasClosed(error: unknown): boolean {
  if (error instanceof errors.SocketError) return true;
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

async function textOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) throw new BackendFailed(`more than ${ANSWER_BYTES_MAX} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BackendFailed('the answer is no JSON', { cause: error });
  }
}
