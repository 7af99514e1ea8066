import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Body, filenameHeader, noise, postJson, upload, uploaded } from '../support/client.js';
import { type CodesServer, startCodes, TRANSPORTS } from '../support/server.js';

const MAX = 100_000;
const TEXT = 'text/plain; charset=utf-8';
const SIZE = `Bad Request - Content-Length must be > 0 and < ${MAX}`;

describe.each(TRANSPORTS)('refusals over %s', (transport) => {
  let server: CodesServer;
  beforeAll(async () => {
    server = await startCodes({ transport, config: { maxUploadBytes: MAX } });
    return () => server.close();
  });

  async function expectText(response: Response, status: number, text: string | RegExp): Promise<void> {
    const body = await response.text();
    expect([response.status, response.headers.get('content-type')], body).toEqual([status, TEXT]);
    if (typeof text === 'string') expect(body).toBe(text);
    else expect(body).toMatch(text);
  }

  const entries = (name: string) => readdir(path.join(server.folder, name));

  /** Number of stored files when no upload is in progress. */
  async function storedFiles(): Promise<number> {
    await vi.waitFor(async () => expect(await entries('drafts')).toEqual([]), 5000);
    return (await entries('files')).length;
  }

  describe.each(['iscc', 'media'] as const)('POST /%s', (to) => {
    const post = (headers: Record<string, string>, body: Body = 'x') =>
      fetch(`${server.url}/api/v1/${to}`, { method: 'POST', headers, body });

    test.each([
      ['missing', {}, /Missing header/],
      ['empty', { 'X-Upload-Filename': '' }, /Missing header/],
      ['not base64', { 'X-Upload-Filename': 'a.jpg' }, /not base64/],
      ['not padded', { 'X-Upload-Filename': 'YQ' }, /not base64/],
      ['not UTF-8', { 'X-Upload-Filename': '//79' }, /not UTF-8/],
      [
        'empty after sanitising',
        { 'X-Upload-Filename': Buffer.from('../..').toString('base64') },
        /file name/,
      ],
    ])('file name: %s', async (_, headers, expected) => {
      await expectText(await post(headers as Record<string, string>), 400, expected);
    });

    test.each([
      ['filename=', /Missing header/],
      ['filename=caf%E9.jpg', /not UTF-8/],
      ['filename=%2F', /file name/],
      ['filename=a.jpg&filename=b.jpg', /filename/],
    ])('%s', async (query, expected) => {
      const url = `${server.url}/api/v1/${to}?${query}`;
      await expectText(await fetch(url, { method: 'POST', body: 'x' }), 400, expected);
    });

    test('multipart/form-data', async () => {
      const form = new FormData();
      form.set('file', new Blob(['x']), 'a.txt');
      const url = `${server.url}/api/v1/${to}`;
      for (const headers of [{}, filenameHeader('a.txt')]) {
        await expectText(
          await fetch(url, { method: 'POST', headers, body: form }),
          400,
          /--data-binary @FILE/,
        );
      }
    });

    test('empty body', async () => {
      await expectText(await post(filenameHeader('a'), ''), 400, SIZE);
    });

    test('declared length above the limit, checked before the file name', async () => {
      await expectText(await post(filenameHeader('a'), noise(MAX + 1)), 400, SIZE);
      await expectText(await post({}, noise(MAX + 1)), 400, SIZE);
    });

    test('accepts a body of exactly the limit', async () => {
      expect((await post(filenameHeader('a'), noise(MAX))).status).toBe(201);
    });

    test('stores nothing of a chunked body that is empty or above the limit', async () => {
      const before = await storedFiles();
      for (const bytes of [0, MAX + 1, 40 * MAX]) {
        const response = await rawChunked(server.port, `/api/v1/${to}`, bytes);
        expect(response).toMatch(/^HTTP\/1\.1 400 /);
        expect(response).toContain(SIZE);
      }
      expect(await storedFiles()).toBe(before);
    });

    test('stores nothing of an aborted upload', async () => {
      const before = await storedFiles();
      await Promise.all([1, 2, 3].map(() => brokenUpload(server.port, `/api/v1/${to}`)));
      expect(await storedFiles()).toBe(before);
    });
  });

  test.each([
    ['fallback=xx', 'Bad Request - fallback: must be "sum" or "off"'],
    ['semantic=1&semantic=0', 'Bad Request - semantic: must be a single text; it is given several times'],
  ])('says in plain words what is wrong with ?%s', async (query, text) => {
    await expectText(await upload(server.url, 'a.bin', 'x', { query: `?${query}` }), 400, text);
  });

  test.each(['true', 'FALSE', 'True', '1', '0'])('accepts granular=%s', async (value) => {
    expect(
      (await upload(server.url, 'a.bin', 'x', { query: `?granular=${value}&semantic=${value}` })).status,
    ).toBe(201);
  });

  test.each([
    'granular=banana',
    'semantic=',
    'semantic=2',
    'semantic=yes',
    'granular=1&granular=0',
    'granular=%00',
  ])('rejects ?%s', async (query) => {
    await expectText(
      await upload(server.url, 'a.bin', 'x', { query: `?${query}` }),
      400,
      /^Bad Request - (?:granular|semantic)/,
    );
  });

  test.each([
    'iscc/0000000000000',
    'media/0000000000000',
    'metadata/0000000000000',
    'media/UPPERCASE0000',
    'media/short',
    'media/061knt35ejv6o0',
    'media/..%2f..%2fetc',
    'iscc/061knt35ejv6w',
    'nothing',
  ])('GET /%s gets a 404', async (route) => {
    await expectText(await fetch(`${server.url}/api/v1/${route}`), 404, /not found|No ISCC-CODE found/i);
  });

  test.each([
    ['PUT', 'iscc', 'POST'],
    ['GET', 'simprint', 'POST'],
    ['DELETE', 'iscc/0000000000000', 'GET, HEAD'],
    ['PATCH', 'media/0000000000000', 'DELETE, GET, HEAD'],
  ])('%s /%s gets a 405 with the allowed methods', async (method, route, allow) => {
    const response = await fetch(`${server.url}/api/v1/${route}`, { method });
    expect(response.headers.get('allow')?.split(', ').sort().join(', ')).toBe(allow);
    await expectText(response, 405, /^Method Not Allowed/);
  });

  test.each([
    ['not JSON', '{"text": '],
    ['not an object', '[]'],
    ['null', 'null'],
    ['missing', '{}'],
    ['empty text', '{"text": ""}'],
    ['not a string', '{"text": 5}'],
    ['empty', ''],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['too long', JSON.stringify({ text: 'ü'.repeat(MAX / 2 + 1) })],
    ['much too long', JSON.stringify({ text: 'u'.repeat(MAX * 7) })],
  ])('POST /simprint: %s', async (_, body) => {
    const response = await fetch(`${server.url}/api/v1/simprint`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    await expectText(response, 400, /^Bad Request - /);
  });

  test('accepts a text of the maximum length with escaped characters', async () => {
    const text = `"${'\\u0061'.repeat(MAX)}"`;
    expect((await postJson(server.url, '/simprint', `{"text": ${text}}`)).status).toBe(200);
  });

  test('rejects text with a lone surrogate', async () => {
    await expectText(
      await postJson(server.url, '/simprint', '{"text": "a\\ud800b"}'),
      422,
      /simprint processing error/,
    );
  });

  test.each([
    '',
    'ISCC:',
    'banana',
    'ISCC:KEC',
    '%00',
    '%ff',
    'ISCC%3AKACT4EBWK27737D2AYCJRAL5Z36G76RFRMO4554RU26HZ4ORJGIVHDI%2Fx',
  ])('rejects GET /explain/%s', async (code) => {
    const response = await fetch(`${server.url}/api/v1/explain/${code}`);
    expect([400, 404]).toContain(response.status);
    expect(response.headers.get('content-type')).toBe(TEXT);
  });

  test('file names can not escape the folder or break a header', async () => {
    const names = [
      '../../../etc/passwd',
      '/etc/passwd',
      'C:\\x\\y.txt',
      'a\r\nX-Evil: 1',
      'a"; filename="b',
      '\u202egnp.exe',
      'CON',
      '.htaccess',
      "a'b%41.txt",
    ];
    for (const name of names) {
      const { content, media_id } = await uploaded(server.url, name, 'x', { to: 'media' });
      const response = await fetch(content);
      expect(await response.text()).toBe('x');
      expect(response.headers.get('x-evil')).toBeNull();
      expect(response.headers.get('content-disposition')).toMatch(
        /^attachment; filename="[^"\\]*"(?:; filename\*=UTF-8''[\w.!#$&+^`|~%-]*)?$/,
      );
      const [stored] = await readdir(path.join(server.folder, 'files', media_id));
      expect(stored).not.toMatch(/[/\\\0]/);
    }
  });
});

/** Sends a complete chunked body, even if the server responds earlier, and returns the response. */
function rawChunked(port: number, target: string, bytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString('latin1');
      if (!isWhole(answer)) return;
      resolve(answer);
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => reject(new Error(`no response: ${answer}`)));
    const name = Object.entries(filenameHeader('a.bin')).flat().join(': ');
    socket.write(
      `POST ${target} HTTP/1.1\r\nHost: x\r\n${name}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
    );
    for (let left = bytes; left > 0; left -= 10_000) {
      const size = Math.min(left, 10_000);
      socket.write(`${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`);
    }
    socket.write('0\r\n\r\n');
  });
}

/** Whether the body of a response has its length, or its last chunk. */
function isWhole(response: string): boolean {
  const [head = '', body] = response.split('\r\n\r\n');
  if (/^transfer-encoding: chunked$/im.test(head)) return response.endsWith('\r\n0\r\n\r\n');
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  return body !== undefined && length !== undefined && body.length >= Number(length);
}

/** Sends half of the declared length and disconnects. */
function brokenUpload(port: number, target: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    const name = Object.entries(filenameHeader('a.bin')).flat().join(': ');
    socket.write(
      `POST ${target} HTTP/1.1\r\nHost: x\r\n${name}\r\nContent-Length: 90000\r\n\r\n${'x'.repeat(45_000)}`,
    );
    setTimeout(() => socket.destroy(), 100);
  });
}
