/** Sends recorded requests again, byte for byte. */
import { type IncomingHttpHeaders, request } from 'node:http';

/** One row of the recording. */
export interface Exchange {
  readonly step: string;
  readonly backend: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly body_raw?: string;
  readonly status: number;
  readonly response_headers: Readonly<Record<string, string>>;
  readonly response: unknown;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Parsed if it is JSON, otherwise text. */
  readonly body: unknown;
}

/** Sends an exchange's request without `fetch`, which normalises paths and follows redirects. */
export function send(url: string, exchange: Exchange): Promise<Reply> {
  const payload = exchange.body_raw ?? (exchange.body === null ? undefined : JSON.stringify(exchange.body));
  const headers: Record<string, string> = { ...exchange.headers };
  if (payload !== undefined) headers['Content-Type'] ??= 'application/json';
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const { method, path } = exchange;
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = read(Buffer.concat(chunks), response.headers['content-type']);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

function read(bytes: Buffer, type = ''): unknown {
  if (bytes.length === 0) return null;
  return type.startsWith('application/json') ? JSON.parse(bytes.toString()) : bytes.toString();
}
