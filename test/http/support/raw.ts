/** A client that sends exactly the given bytes, with a strict parser of responses. */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RawResponse {
  readonly status: number;
  /** By lower-case name; several lines joined by `\n`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
}

export class RawClient {
  readonly socket: net.Socket;
  #received = Buffer.alloc(0);
  #closed = false;
  #notify: () => void = () => {};

  private constructor(socket: net.Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#notify();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#notify();
    });
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = net.connect(port, '127.0.0.1');
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new RawClient(socket);
  }

  /** Sends characters as bytes (Latin-1). */
  send(data: string | Buffer): void {
    this.socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data);
  }

  /** Sends each part in its own packet. */
  async sendParts(parts: readonly string[]): Promise<void> {
    for (const part of parts) {
      this.send(part);
      await sleep(1);
    }
  }

  /** The next response; `undefined` if the connection closes before it is complete. */
  async response(options: { head?: boolean; ms?: number } = {}): Promise<RawResponse | undefined> {
    const deadline = Date.now() + (options.ms ?? 5000);
    for (;;) {
      const parsed = parseResponse(this.#received, options.head ?? false, this.#closed);
      if (parsed !== undefined) {
        this.#received = this.#received.subarray(parsed.length);
        return parsed.response;
      }
      if (this.#closed) return undefined;
      if (Date.now() > deadline)
        throw new Error(
          `no response; received ${JSON.stringify(this.#received.toString('latin1').slice(0, 200))}`,
        );
      await this.#change(deadline);
    }
  }

  /** Whether the server closes the connection within `ms`. */
  async closes(ms = 2000): Promise<boolean> {
    const deadline = Date.now() + ms;
    while (!this.#closed && Date.now() < deadline) await this.#change(deadline);
    return this.#closed;
  }

  /** Received bytes that are not part of a parsed response. */
  get rest(): string {
    return this.#received.toString('latin1');
  }

  destroy(): void {
    this.socket.destroy();
  }

  #change(deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, deadline - Date.now()) + 1);
      this.#notify = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

interface Parsed {
  readonly response: RawResponse;
  readonly length: number;
}

function parseResponse(data: Buffer, isHead: boolean, closed: boolean): Parsed | undefined {
  const headEnd = data.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = data.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`not a status line: ${statusLine}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:\s]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`not a header: ${line}`);
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}\n${value}`;
  }
  const start = headEnd + 4;
  if (status === 100)
    return parseResponse(data.subarray(start), isHead, closed)?.response
      ? shifted(data, start, isHead, closed)
      : undefined;
  const bodiless = isHead || status === 204 || status === 304;
  const framed = bodiless
    ? { body: Buffer.alloc(0), length: 0 }
    : parseBody(data.subarray(start), headers, closed);
  if (framed === undefined) return undefined;
  const { body } = framed;
  return { response: { status, headers, body, text: body.toString() }, length: start + framed.length };
}

function shifted(data: Buffer, start: number, isHead: boolean, closed: boolean): Parsed | undefined {
  const parsed = parseResponse(data.subarray(start), isHead, closed);
  return parsed && { response: parsed.response, length: parsed.length + start };
}

function parseBody(
  data: Buffer,
  headers: Record<string, string>,
  closed: boolean,
): { body: Buffer; length: number } | undefined {
  if (headers['transfer-encoding'] === 'chunked') return parseChunks(data);
  const declared = headers['content-length'];
  if (declared === undefined) return closed ? { body: data, length: data.length } : undefined;
  const length = Number(declared);
  return data.length >= length ? { body: data.subarray(0, length), length } : undefined;
}

function parseChunks(data: Buffer): { body: Buffer; length: number } | undefined {
  const chunks: Buffer[] = [];
  let position = 0;
  for (;;) {
    const lineEnd = data.indexOf('\r\n', position);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(data.subarray(position, lineEnd).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    if (data.length < next) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), length: next };
    chunks.push(data.subarray(lineEnd + 2, lineEnd + 2 + size));
    position = next;
  }
}
