/** A small S3 store over HTTP for reading: objects by key, `ListObjectsV2` in pages, signatures checked by Signature V4. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const KEYS = {
  AWS_ACCESS_KEY_ID: 'AKTEST',
  AWS_SECRET_ACCESS_KEY: 'a secret/key+',
  AWS_REGION: 'eu-test-1',
};
const PAGE_OBJECTS = 2;

export interface S3Store {
  readonly url: string;
  /** Requests so far: method, path and status. */
  readonly requests: string[];
}

/** @param failures statuses with which the first requests are answered */
export async function startS3(
  objects: ReadonlyMap<string, Uint8Array>,
  failures: number[] = [],
): Promise<S3Store> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const [status, body] = failures.length > 0 ? [failures.shift() ?? 500, ''] : answer(objects, request);
    requests.push(`${request.method} ${request.url} ${status}`);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

type Answer = readonly [status: number, body: string | Uint8Array];

function answer(objects: ReadonlyMap<string, Uint8Array>, request: IncomingMessage): Answer {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  if (request.headers.authorization !== authorization(request, url)) return [403, '<Error/>'];
  const [, bucket, ...rest] = url.pathname.split('/');
  if (bucket !== 'bucket') return [404, '<Error/>'];
  const key = rest.map(decodeURIComponent).join('/');
  if (key === '') return [200, listing([...objects], url.searchParams)];
  const object = objects.get(key);
  return object === undefined ? [404, '<Error/>'] : [200, object];
}

function listing(objects: [string, Uint8Array][], query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const start = Number(query.get('continuation-token') ?? 0);
  const all = objects.filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
  const page = all
    .slice(start, start + PAGE_OBJECTS)
    .map(
      ([key, { length }]) =>
        `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${length}</Size></Contents>`,
    );
  const next = start + PAGE_OBJECTS;
  const more = next < all.length ? `<NextContinuationToken>${next}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult>${page.join('')}${more}</ListBucketResult>`;
}

/** The header that AWS's documentation of Signature Version 4 prescribes for the request. */
function authorization({ method, headers }: IncomingMessage, url: URL): string {
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const date = String(headers['x-amz-date']);
  const scope = `${date.slice(0, 8)}/${KEYS.AWS_REGION}/s3/aws4_request`;
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const canonical = [
    method,
    url.pathname
      .split('/')
      .map((part) => encode(decodeURIComponent(part)))
      .join('/'),
    query.join('&'),
    ...signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const hash = createHash('sha256').update(canonical).digest('hex');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${KEYS.AWS_SECRET_ACCESS_KEY}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', date, scope, hash].join('\n')).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=${KEYS.AWS_ACCESS_KEY_ID}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}
