/** Addresses, options and repeated requests, against an HTTP server that records what it gets. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readCodesConfig } from '../../src/platform/config/codes.js';
import { StorageUnavailable } from '../../src/storage/data/unavailable.js';
import { bucketAddress, encodedKey } from '../../src/storage/s3/address.js';
import { S3Bucket } from '../../src/storage/s3/bucket.js';

const KEYS = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };

function settingsOf(uri: string, variables: Readonly<Record<string, string>> = KEYS) {
  const { mediaS3 } = readCodesConfig({ ...variables, CODEWEB_MEDIA_PATH: uri });
  if (mediaS3 === undefined) throw new Error(`${uri} is not in S3`);
  return mediaS3;
}

/** A server that responds with these statuses, then with 200. */
async function recorded(statuses: number[] = []) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    request.on('end', () => {
      const status = statuses.shift() ?? 200;
      const code = status === 403 ? 'AccessDenied' : 'SlowDown';
      response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function opened(uri: string, variables?: Readonly<Record<string, string>>): S3Bucket {
  const bucket = new S3Bucket(settingsOf(uri, variables));
  onTestFinished(() => bucket.close());
  return bucket;
}

describe('the address of a bucket', () => {
  test.each([
    [undefined, undefined, 'media', 'https://media.s3.eu-1.amazonaws.com/'],
    [undefined, undefined, 'my.media', 'https://s3.eu-1.amazonaws.com/my.media/'],
    [undefined, 'path', 'media', 'https://s3.eu-1.amazonaws.com/media/'],
    ['https://store.example', undefined, 'media', 'https://store.example/media/'],
    ['https://store.example:9000', 'virtual', 'media', 'https://media.store.example:9000/'],
  ] as const)('with endpoint %s and style %s', (endpoint, style, bucket, address) => {
    expect(bucketAddress({ endpoint, region: 'eu-1' }, bucket, style)).toBe(address);
  });

  test('is followed by an encoded key', () => {
    expect(encodedKey("a b/ü/(1)+'.jpg")).toBe('a%20b/%C3%BC/%281%29%2B%27.jpg');
  });
});

describe('CODEWEB_MEDIA_PATH', () => {
  test('has bucket, prefix and options', () => {
    const uri = 's3://media/a//b?endpoint=https://store.example/&region=eu-1&style=virtual&sse=AES256';
    expect(settingsOf(uri)).toMatchObject({
      bucket: 'media',
      prefix: 'a/b/',
      endpoint: 'https://store.example',
      region: 'eu-1',
      style: 'virtual',
      sse: 'AES256',
      variable: 'CODEWEB_MEDIA_PATH',
      config: { accessKeyId: 'key', secretAccessKey: 'secret' },
    });
    expect(settingsOf('s3://media')).toMatchObject({ bucket: 'media', prefix: '' });
  });

  test.each([
    's3://',
    's3:/media',
    's3://media/../x',
    's3://media?style=host',
    's3://media?kms-key=1',
    's3://m/a b',
  ])('%s is refused', (uri) => {
    expect(() => settingsOf(uri)).toThrow(/^CODEWEB_MEDIA_PATH=/);
  });
});

describe('requests', () => {
  test('name the region in their signature, and the encryption of the object', async () => {
    const { requests, url } = await recorded();
    const bucket = opened(`s3://media/p?endpoint=${url}&region=eu-1&sse=aws:kms&kms-key=my-key`);
    await bucket.put('a', 'text', { onlyNew: true, name: 'ü' });
    expect(requests[0]?.method).toBe('PUT');
    expect(requests[0]?.url).toBe('/media/p/a');
    expect(requests[0]?.headers).toMatchObject({
      authorization: expect.stringContaining('/eu-1/s3/aws4_request'),
      'content-length': '4',
      'if-none-match': '*',
      'x-amz-meta-name': '%C3%BC',
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': 'my-key',
    });
  });

  test('have the token of temporary credentials; without a key they are not signed', async () => {
    const { requests, url } = await recorded();
    await opened(`s3://media?endpoint=${url}`, { ...KEYS, AWS_SESSION_TOKEN: 'token' }).read('a');
    expect(requests[0]?.headers).toMatchObject({ 'x-amz-security-token': 'token' });
    await opened(`s3://media?endpoint=${url}`, {}).read('a');
    expect(requests[1]?.headers.authorization).toBeUndefined();
  });

  test('are repeated after a temporary failure, with their body', async () => {
    const { requests, url } = await recorded([503, 500]);
    expect(await opened(`s3://media?endpoint=${url}`).put('a', 'text')).toBe(true);
    expect(requests.map(({ headers }) => headers['content-length'])).toEqual(['4', '4', '4']);
  });

  test('fail after three attempts, and at once if another attempt would fail as well', async () => {
    const busy = await recorded([503, 503, 503]);
    await expect(opened(`s3://media?endpoint=${busy.url}`).read('a')).rejects.toThrow(StorageUnavailable);
    expect(busy.requests.length).toBe(3);
    const forbidden = await recorded([403]);
    await expect(opened(`s3://media?endpoint=${forbidden.url}`).read('a')).rejects.toThrow(/may not use/);
    expect(forbidden.requests.length).toBe(1);
  });
});
