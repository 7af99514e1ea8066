/** A local receiver of Sentry envelopes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Envelope {
  readonly path: string;
  readonly auth: string;
  readonly event: {
    readonly exception: { values: { type: string; value: string; stacktrace?: { frames: object[] } }[] };
    readonly tags: Record<string, string>;
    readonly release: string;
    readonly environment: string;
  };
}

export interface ReportReceiver {
  readonly dsn: string;
  readonly received: Envelope[];
}

/** Listens until the test ends. @param status of all responses */
export async function startReportReceiver(status = 200): Promise<ReportReceiver> {
  const received: Envelope[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString().split('\n');
    const url = new URL(request.url ?? '', 'http://x');
    received.push({ path: url.pathname, auth: url.search, event: JSON.parse(lines[2] ?? '{}') });
    response.statusCode = status;
    response.end('{}');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { dsn: `http://key@127.0.0.1:${(server.address() as AddressInfo).port}/42`, received };
}
