/** Metadata in headers, the fallback to an ISCC-SUM, and files fetched from other servers. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { composeCode } from '../../../src/iscc/codec.js';
import { textCode } from '../../../src/library/units.js';
import { ISRC_SCHEMA, parseIsrc, seedDataUrl } from '../../../src/services/codes/seed/isrc.js';
import { bodyOf, filenameHeader, upload, uploaded } from '../support/client.js';
import { fileBytes } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('metadata in headers', () => {
  let server: CodesServer;
  beforeAll(async () => {
    server = await startCodes();
    return () => server.close();
  });

  const send = (headers: Record<string, string>) =>
    uploaded(server.url, 'photo.jpg', fileBytes('photo-q85_a.jpg'), { headers });
  const meta = ({ units }: { units: string[] }) => units.find((unit) => unit.startsWith('ISCC:AA'));

  test('replaces the metadata of the file, in single headers and as one object', async () => {
    const plain = await send({});
    const fields = { name: 'Ein Nämé 中', description: 'A description' };
    const single = await send({
      'X-Upload-Name': base64(fields.name),
      'X-Upload-Description': base64(fields.description),
    });
    expect(single).toMatchObject(fields);
    expect(meta(single)).not.toBe(meta(plain));
    expect(single.units.slice(1)).toEqual(plain.units.slice(1));
    const object = await send({ 'X-Upload-Metadata': base64(JSON.stringify({ ...fields, other: 1 })) });
    expect(object.iscc).toBe(single.iscc);
    const mixed = await send({
      'X-Upload-Metadata': base64(JSON.stringify({ ...fields, name: 'Other' })),
      'X-Upload-Name': base64(fields.name),
    });
    expect(mixed.iscc).toBe(single.iscc);
  });

  test('the seed metadata of a recording decides the Meta-Code in every accepted form', async () => {
    const record = {
      ...{
        $schema: ISRC_SCHEMA,
        isrc: 'DEA451200001',
        main_artist: 'A',
        track_title: 'T',
        version_title: '',
      },
      duration: 100,
      content_type: 'sound',
      pubdate: '20260101',
    };
    const seed = seedDataUrl(parseIsrc(record));
    const forms = await Promise.all(
      [seed, base64(seed), base64(JSON.stringify(record))].map((form) => send({ 'X-Upload-Meta': form })),
    );
    for (const answer of forms) expect(answer.meta).toBe(seed);
    const plain = await send({});
    expect(new Set(forms.map(meta)).size).toBe(1);
    expect(meta(forms[0] as never)).not.toBe(meta(plain));
  });

  test.each([
    [{ 'X-Upload-Name': 'not base64!' }, 'X-Upload-Name is not base64'],
    [{ 'X-Upload-Name': Buffer.from([0xff]).toString('base64') }, 'X-Upload-Name is not UTF-8'],
    [{ 'X-Upload-Name': base64('x'.repeat(129)) }, 'name: must have at most 128 characters'],
    [{ 'X-Upload-Meta': base64('{"a":') }, 'X-Upload-Meta is not JSON'],
    [{ 'X-Upload-Meta': base64('words') }, 'meta: must be a base64 Data-URL'],
    [{ 'X-Upload-Metadata': base64('[1]') }, 'X-Upload-Metadata is not a JSON object'],
  ])('%j: 400 with the header and the rule', async (headers, message) => {
    const body = fileBytes('photo-q85_a.jpg');
    const response = await upload(server.url, 'p.jpg', body, { headers: headers as Record<string, string> });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('fallback to an ISCC-SUM', () => {
  const BAD: readonly (readonly [file: string, name: string, mode: string, code: string])[] = [
    ['truncated_a.jpg', 'cut.jpg', 'image', 'FILE_DAMAGED'],
    ['short1s_a.wav', 'short.wav', 'audio', 'FILE_TOO_SHORT'],
    ['blank_a.txt', 'blank.txt', 'text', 'FILE_NO_TEXT'],
    ['corrupt_a.pdf', 'broken.pdf', 'text', 'FILE_DAMAGED'],
  ];
  let server: CodesServer;
  let always: CodesServer;
  beforeAll(async () => {
    [server, always] = await Promise.all([startCodes(), startCodes({ config: { fallbackAlways: true } })]);
    return () => Promise.all([server.close(), always.close()]);
  });

  test.each(BAD)(
    '%s is refused by default, and gets a code and the reason on request',
    async (file, name, mode, code) => {
      const bytes = file === 'truncated_a.jpg' ? fileBytes(file).slice(0, 400) : fileBytes(file);
      expect((await upload(server.url, name, bytes)).status).toBe(422);
      const asked = await uploaded(server.url, name, bytes, { query: '?fallback=sum' });
      expect(asked).toMatchObject({ mode, note: expect.stringMatching(new RegExp(`^${code}: [A-Z].*\\.$`)) });
      expect(asked.units.map((unit) => unit.slice(0, 7))).toEqual(['ISCC:GA', 'ISCC:IA']);
      expect(asked.iscc).toBe(composeCode(asked.units, true));
      const byDefault = await uploaded(always.url, name, bytes);
      expect([byDefault.iscc, byDefault.note]).toEqual([asked.iscc, asked.note]);
      expect((await upload(always.url, name, bytes, { query: '?fallback=off' })).status).toBe(422);
    },
  );

  test('does not change good files', async () => {
    const answer = await uploaded(always.url, 'a.txt', 'Some words to code.');
    expect(answer).not.toHaveProperty('note');
    expect(answer.units).toContain(await unitOf('Some words to code.'));
  });

  async function unitOf(text: string): Promise<string> {
    const { iscc } = await textCode(text, 256);
    return iscc;
  }
});

describe('files from other servers', () => {
  let source: Server;
  let origin: string;
  let server: CodesServer;
  let strict: CodesServer;
  let connections = 0;
  const photo = fileBytes('photo-q85_a.jpg');

  beforeAll(async () => {
    source = createServer((request, response) => {
      const { url = '' } = request;
      if (url === '/photo.jpg') response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(photo);
      else if (url === '/named')
        response
          .writeHead(200, { 'Content-Disposition': "attachment; filename*=utf-8''gr%C3%BC%C3%9Fe.jpg" })
          .end(photo);
      else if (url === '/moved') response.writeHead(302, { Location: '/photo.jpg' }).end();
      else if (url === '/away') response.writeHead(302, { Location: 'http://example.com/x.jpg' }).end();
      else if (url === '/loop') response.writeHead(302, { Location: '/loop' }).end();
      else if (url === '/large') response.writeHead(200).end(Buffer.alloc(200_000));
      else if (url === '/cut')
        response.writeHead(200, { 'Content-Length': '1000' }).write('x', () => response.destroy());
      else response.writeHead(404).end();
    });
    source.on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
    const config = { sources: [origin], maxUploadBytes: 100_000 };
    server = await startCodes({ config, workers: { sourceAddresses: new Set(['127.0.0.1']) } });
    strict = await startCodes({ config });
  });
  afterAll(async () => {
    await Promise.all([server.close(), strict.close()]);
    source.close();
  });

  const post = (base: string, headers: Record<string, string>, body?: string) =>
    fetch(`${base}/api/v1/iscc`, { method: 'POST', headers, ...(body !== undefined && { body }) });

  test('are processed like uploads, by header and by list', async () => {
    const direct = await uploaded(server.url, 'photo.jpg', photo);
    const byHeader = await bodyOf(await post(server.url, { 'X-Upload-Source': `${origin}/photo.jpg` }));
    expect([byHeader.iscc, byHeader.filename]).toEqual([direct.iscc, 'photo.jpg']);
    const list = `# a comment\r\n${origin}/moved\r\n`;
    const byList = await bodyOf(await post(server.url, { 'Content-Type': 'text/uri-list' }, list));
    expect([byList.iscc, byList.filename]).toEqual([direct.iscc, 'photo.jpg']);
    const download = await fetch(`${server.url}/api/v1/media/${byHeader.media_id}`);
    expect(download.headers.get('content-type')).toBe('image/jpeg');
  });

  test('are named by the response, unless the request names them', async () => {
    const source = { 'X-Upload-Source': `${origin}/named` };
    expect((await bodyOf(await post(server.url, source))).filename).toBe('grüße.jpg');
    const named = await bodyOf(await post(server.url, { ...source, ...filenameHeader('mine.jpg') }));
    expect(named.filename).toBe('mine.jpg');
  });

  test.each([
    ['/missing', 502, 'status 404'],
    ['/cut', 502, 'broke off'],
    ['/loop', 502, 'redirected'],
    ['/away', 403, 'example.com is not'],
    ['/large', 400, 'Content-Length must be'],
  ])('%s is refused with %i', async (path, status, text) => {
    const response = await post(server.url, { 'X-Upload-Source': origin + path });
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(text)]);
  });

  test('are not asked if the request has an invalid file name', async () => {
    const before = connections;
    const headers = { 'X-Upload-Source': `${origin}/photo.jpg`, 'X-Upload-Filename': '%%%' };
    expect((await post(server.url, headers)).status).toBe(400);
    expect(connections).toBe(before);
  });

  test.each([
    'http://example.com/x',
    'file:///etc/passwd',
    'http://u:p@127.0.0.1/x',
    'words',
    'ftp://127.0.0.1/',
  ])('%s is not among the sources', async (address) => {
    const response = await post(server.url, { 'X-Upload-Source': address });
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining('CODEWEB_SOURCES'),
    ]);
  });

  test('private addresses are refused even if their server is listed', async () => {
    const response = await post(strict.url, { 'X-Upload-Source': `${origin}/photo.jpg` });
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining('not a public address'),
    ]);
  });

  test('without sources, an address is refused and a list is a file like any other', async () => {
    const off = await startCodes();
    try {
      expect((await post(off.url, { 'X-Upload-Source': `${origin}/photo.jpg` })).status).toBe(403);
      const headers = { 'Content-Type': 'text/uri-list', ...filenameHeader('links.txt') };
      const answer = await bodyOf(await post(off.url, headers, `${origin}/photo.jpg\n`));
      expect(answer.mediatype).toBe('text/plain');
    } finally {
      await off.close();
    }
  });
});
