/** Wrong arguments of the clients, which fail before anything is sent, and all kinds of sources. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CodesClient,
  InvalidArgument,
  ResolverClient,
  SearchClient,
  StoreClient,
} from '../../src/client/index.js';
import { type Listener, listener } from './support/listener.js';

let server: Listener | undefined;
afterEach(() => server?.close());

const CLIENTS = [CodesClient, SearchClient, StoreClient, ResolverClient];

describe.each(CLIENTS.map((one) => [one.name, one] as const))('%s', (_, Client) => {
  it.each([
    ['', '""'],
    ['not a url', '"not a url"'],
    ['ftp://example.com', '"ftp://example.com"'],
    ['127.0.0.1:8000', '"127.0.0.1:8000"'],
    ['http://', '"http://"'],
    ['http://example.com/?tenant=1', '"http://example.com/?tenant=1"'],
    [undefined, 'undefined'],
  ])('rejects the base URL %j', (url, text) => {
    const make = () => new Client(url as never);
    expect(make).toThrow(InvalidArgument);
    expect(make).toThrow(`baseUrl: must be an http or https URL without query and fragment, not ${text}`);
  });

  it('takes a base URL with a path', () => {
    expect(new Client('https://example.com/api/')).toBeInstanceOf(Client);
  });
});

it('ResolverClient rejects a match whose endpoint is not an http URL', async () => {
  const match = { manifestId: 'urn:c2pa:x', endpoint: 'ipfs://x' };
  const manifest = new ResolverClient('http://127.0.0.1:9').manifestOf(match);
  await expect(manifest).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('match.endpoint: must be an http or https URL'),
  });
});

describe('createIscc', () => {
  const bytes = Buffer.from('some text');

  it.each([
    ['options: must be an object, not null', null],
    ['granular: must be true or false, or left out, not "yes"', { granular: 'yes' }],
    ['semantic: must be true or false', { semantic: 1 }],
    ['filename: must be a string that is not empty, or left out, not ""', { filename: '' }],
    ['contentType: must be a string that is not empty', { contentType: 5 }],
    ['onProgress: must be a function', { onProgress: true }],
    ['signal: must be an AbortSignal', { signal: new AbortController() }],
  ])('rejects an option: %s', async (message, options) => {
    server = await listener([201, '{}']);
    await expect(new CodesClient(server.url).createIscc(bytes, options as never)).rejects.toMatchObject({
      name: 'InvalidArgument',
      message: expect.stringContaining(message),
    });
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['a number', 5],
    ['an array', [1, 2]],
    ['null', null],
    ['a web address', new URL('https://example.com/a.jpg')],
  ])('rejects %s as source', async (_, source) => {
    const made = new CodesClient('http://127.0.0.1:9').createIscc(source as never);
    await expect(made).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('source: must be a path'),
    });
  });

  it('rejects a stream of text, which would change the bytes', async () => {
    server = await listener([201, '{}']);
    const text = createReadStream(import.meta.filename, 'utf8');
    await expect(new CodesClient(server.url).createIscc(text)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('source: must be a stream of Uint8Arrays, not a string'),
    });
  });

  it.each([
    ['a Uint8Array', bytes, 'upload'],
    ['an ArrayBuffer', new Uint8Array(bytes).buffer, 'upload'],
    ['a Blob', new Blob([bytes]), 'upload'],
    ['a File, with its name', new File([bytes], 'note.txt'), 'note.txt'],
  ])('sends %s with its length', async (_, source, filename) => {
    server = await listener([201, '{}']);
    await new CodesClient(server.url).createIscc(source);
    expect(server.requests).toMatchObject([
      {
        body: 'some text',
        line: `POST /api/v1/iscc?filename=${filename}`,
        headers: { 'content-length': `${bytes.length}` },
      },
    ]);
  });

  it('sends a stream of the web', async () => {
    server = await listener([201, '{}']);
    await new CodesClient(server.url).createIscc(Readable.toWeb(Readable.from([bytes])));
    expect(server.requests).toMatchObject([{ body: 'some text' }]);
  });

  it('sends all parameters of the operation', async () => {
    server = await listener([201, '{}']);
    const options = { semantic: false, granular: true, fallback: 'sum', progress: 'key' } as const;
    await new CodesClient(server.url).createIscc(bytes, options);
    expect(server.requests[0]?.line).toBe(
      'POST /api/v1/iscc?filename=upload&semantic=false&granular=true&fallback=sum&progress=key',
    );
  });
});
