import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, chunked, noise, sha256, upload, uploaded } from '../support/client.js';
import { type CodesServer, startCodes, TRANSPORTS } from '../support/server.js';

describe.each(TRANSPORTS)('uploads over %s', (transport) => {
  let server: CodesServer;
  beforeAll(async () => {
    server = await startCodes({ transport });
    return () => server.close();
  });

  test.each(['icon.ico', 'picture.jxl', 'picture.ppm'])(
    '%s, an image type without a decoder, gets an ISCC-SUM',
    async (name) => {
      const { iscc, units } = await uploaded(server.url, name, noise(5000));
      expect([iscc.slice(0, 8), units.length]).toEqual(['ISCC:K4A', 2]);
    },
  );

  test('a file of unknown type gets an ISCC-SUM and can be downloaded', async () => {
    const bytes = noise(100_000);
    const response = await upload(server.url, 'data ü.bin', bytes, {
      headers: { 'Content-Type': 'application/x-thing' },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/json');
    const body = await bodyOf(response);
    const location = `/api/v1/media/${body.media_id}`;
    expect(response.headers.get('location')).toBe(location);
    expect(body).toMatchObject({
      '@context': 'http://purl.org/iscc/context/0.8.0.jsonld',
      '@type': 'CreativeWork',
      $schema: 'http://purl.org/iscc/schema/0.8.0.json',
      content: server.url + location,
      filename: 'data ü.bin',
      filesize: 100_000,
      mediatype: 'application/octet-stream',
      generator: expect.stringMatching(/^isccd - v\d+\.\d+\.\d+$/),
    });
    expect(body.iscc).toMatch(/^ISCC:K4A[A-Z2-7]{52}$/);
    expect(body.units).toHaveLength(2);
    expect(Object.keys(body)).not.toContain('mode');
    expect(Object.keys(body)).not.toContain('metahash');

    const stored = await fetch(`${server.url}/api/v1/iscc/${body.media_id}`);
    expect(stored.status).toBe(200);
    expect(stored.headers.get('content-type')).toBe('application/json');
    expect(stored.headers.get('content-disposition')).toBe('inline');
    const text = await stored.text();
    const { media_id, content, ...rest } = body;
    expect(text).toBe(JSON.stringify(rest, null, 2));

    const named = await uploaded(server.url, 'header.bin', bytes, { query: '?filename=data%20%C3%BC.bin' });
    expect([named.filename, named.iscc]).toEqual([body.filename, body.iscc]);

    const download = await fetch(server.url + location);
    expect(download.status).toBe(200);
    expect(download.headers.get('content-type')).toBe('application/x-thing');
    expect(download.headers.get('content-length')).toBe('100000');
    expect(download.headers.get('x-content-type-options')).toBe('nosniff');
    expect(download.headers.get('content-disposition')).toBe(
      `attachment; filename="data _.bin"; filename*=UTF-8''data%20%C3%BC.bin`,
    );
    expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(sha256(bytes));
  });

  test('POST /media stores the file without a result', async () => {
    const response = await upload(server.url, 'a.txt', 'hello', { to: 'media' });
    expect(response.status).toBe(201);
    const body = await bodyOf(response);
    expect(response.headers.get('location')).toBe(`/api/v1/media/${body.media_id}`);
    expect(body).toEqual({
      content: `${server.url}/api/v1/media/${body.media_id}`,
      media_id: expect.stringMatching(/^[a-v0-9]{13}$/),
    });
    const result = await fetch(`${server.url}/api/v1/iscc/${body.media_id}`);
    expect(result.status).toBe(404);
    expect(await result.text()).toBe('No ISCC-CODE found.');
    expect(await (await fetch(body.content)).text()).toBe('hello');
  });

  test('downloads support HEAD, ranges and If-None-Match', async () => {
    const bytes = noise(10_000);
    const { content } = await uploaded(server.url, 'r.bin', bytes, { to: 'media' });
    const head = await fetch(content, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
      200,
      '10000',
      'bytes',
    ]);
    const part = await fetch(content, { headers: { Range: 'bytes=100-199' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 100-199/10000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(Buffer.from(bytes.subarray(100, 200)))).toBe(true);
    const tail = await fetch(content, { headers: { Range: 'bytes=-1' } });
    expect(new Uint8Array(await tail.arrayBuffer())).toEqual(bytes.slice(-1));
    const beyond = await fetch(content, { headers: { Range: 'bytes=10000-' } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10000']);
    expect(beyond.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const same = await fetch(content, { headers: { 'If-None-Match': part.headers.get('etag') ?? '' } });
    expect(same.status).toBe(304);
  });

  test('a name with a byte order mark has none, and an empty Content-Type is as none', async () => {
    const named = { 'X-Upload-Filename': Buffer.from('\ufeffa.bin').toString('base64') };
    const headers = { ...named, 'Content-Type': '' };
    const response = await fetch(`${server.url}/api/v1/iscc`, { method: 'POST', headers, body: noise(10) });
    const { filename, content } = await bodyOf(response);
    expect(filename).toBe('a.bin');
    const download = await fetch(content);
    expect(download.headers.get('content-type')).toBe('application/octet-stream');
  });

  test('deletes a file and its result', async () => {
    const { content, media_id } = await uploaded(server.url, 'd.bin', noise(10));
    expect((await fetch(content, { method: 'DELETE' })).status).toBe(204);
    for (const method of ['DELETE', 'GET', 'HEAD'])
      expect((await fetch(content, { method })).status).toBe(404);
    expect((await fetch(`${server.url}/api/v1/iscc/${media_id}`)).status).toBe(404);
    expect(await readdir(path.join(server.folder, 'files'))).not.toContain(media_id);
  });

  test('of concurrent deletions only one gets a 204', async () => {
    const { content } = await uploaded(server.url, 'd.bin', noise(10), { to: 'media' });
    const both = await Promise.all([1, 2, 3, 4].map(() => fetch(content, { method: 'DELETE' })));
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
  });

  test('accepts a chunked body without a length', async () => {
    const answer = await uploaded(server.url, 'c.bin', chunked(1_500_000));
    expect(answer.filesize).toBe(1_500_000);
    const whole = await new Response(chunked(1_500_000)).arrayBuffer();
    const same = await uploaded(server.url, 'c.bin', whole);
    expect(same.iscc).toBe(answer.iscc);
  });

  test('concurrent uploads do not mix', async () => {
    const sizes = Array.from({ length: 40 }, (_, index) => 1 + index * 31_337);
    const answers = await Promise.all(
      sizes.map((size, index) => uploaded(server.url, `${index}.bin`, noise(size, index))),
    );
    expect(new Set(answers.map(({ media_id }) => media_id)).size).toBe(sizes.length);
    for (const [index, answer] of answers.entries()) {
      const bytes = new Uint8Array(await (await fetch(answer.content)).arrayBuffer());
      expect(sha256(bytes)).toBe(sha256(noise(sizes[index] as number, index)));
      expect(answer.filename).toBe(`${index}.bin`);
    }
  });
});
