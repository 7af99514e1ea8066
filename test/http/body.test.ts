import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BYTES_MAX } from './support/demo.js';
import { overEachTransport } from './support/servers.js';

overEachTransport('bodies', (context) => {
  const post = (path: string, body?: RequestInit['body'], headers: Record<string, string> = {}) =>
    fetch(`${context.server.url}${path}`, {
      method: 'POST',
      headers,
      ...(body !== undefined && { body, duplex: 'half' }),
    } as RequestInit);
  const outcome = async (response: Response) => [response.status, await response.text()];
  const chunked = (...parts: string[]) =>
    `Transfer-Encoding: chunked\r\n\r\n${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`;

  it('reads JSON', async () => {
    expect(await outcome(await post('/json', '{"name":"ä"}'))).toEqual([200, '{"name":"ä"}']);
  });

  it.each([
    ['', 'refused: body-empty'],
    ['{"name":', 'refused: body-not-json'],
    ['{"name":1}', 'refused: invalid body.name'],
    ['[]', 'refused: invalid body.'],
    [Buffer.from('{"name":"\xff"}', 'latin1'), 'refused: body-not-json'],
  ])('refuses the JSON body %j', async (body, expected) => {
    expect(await outcome(await post('/json', body))).toEqual([400, expected]);
  });

  it('refuses an encoded body, which would be taken for the content', async () => {
    for (const path of ['/json', '/upload', '/bytes']) {
      const response = await post(path, '{"name":"a"}', { 'Content-Encoding': 'gzip' });
      expect([path, ...(await outcome(response))]).toEqual([
        path,
        400,
        'refused: invalid headers.content-encoding',
      ]);
    }
    expect((await post('/json', '{"name":"a"}', { 'Content-Encoding': 'Identity' })).status).toBe(200);
    expect((await post('/optional-json', undefined, { 'Content-Encoding': 'gzip' })).status).toBe(200);
  });

  it('accepts an absent optional body', async () => {
    expect(await outcome(await post('/optional-json'))).toEqual([200, '{"body":null}']);
  });

  it('checks the media type if the route restricts it', async () => {
    expect((await post('/optional-json', '{}', { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect(
      (await post('/optional-json', '{}', { 'Content-Type': 'Application/JSON; charset=utf-8' })).status,
    ).toBe(200);
  });

  it.each([
    ['name=a+b%C3%A4%26&key=1', { name: 'a bä&', key: '1' }],
    ['name=&key=1&key=2&other=x', { name: '', key: ['1', '2'] }],
    ['name=%zz', { name: '%zz' }],
  ])('reads the form %j', async (body, fields) => {
    const response = await post('/form', body, { 'Content-Type': 'application/x-www-form-urlencoded' });
    expect([response.status, await response.json()]).toEqual([200, fields]);
  });

  it('checks the fields and the media type of a form', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
    expect(await outcome(await post('/form', 'key=1', form))).toEqual([400, 'refused: invalid body.name']);
    expect((await post('/form', undefined, form)).status).toBe(400);
    expect((await post('/form', 'name=x', { 'Content-Type': 'text/plain' })).status).toBe(415);
  });

  it('passes bytes unchanged', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 251));
    const response = await post('/bytes', bytes);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('returns 411 for a chunked body if a length is required', async () => {
    const client = await context.connect();
    client.send(`POST /bytes HTTP/1.1\r\nHost: x\r\n${chunked('hello')}`);
    expect(await client.response()).toMatchObject({ status: 411 });
  });

  it('refuses a declared length above the limit before the body arrives', async () => {
    const client = await context.connect();
    client.send(`POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: ${BYTES_MAX + 1}\r\n\r\n`);
    expect(await client.response()).toMatchObject({ status: 413, text: 'refused: body-too-large' });
  });

  it.each(['1000000000', '99999999999', '999999999999999', '99999999999999999999999'])(
    'returns 413 for a declared length of %s',
    async (length) => {
      const client = await context.connect();
      client.send(`POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\nhello`);
      const response = await client.response();
      expect([response?.status, response?.text.trimEnd()]).toEqual([413, 'refused: body-too-large']);
    },
  );

  it('refuses a chunked body when it exceeds the limit', async () => {
    const client = await context.connect();
    client.send(`POST /json HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    for (let i = 0; i < 12; i += 1) client.send(`2710\r\n${'x'.repeat(10_000)}\r\n`);
    expect(await client.response()).toMatchObject({ status: 413, text: 'refused: body-too-large' });
  });

  it('reads the next request after a refused body', async () => {
    const client = await context.connect();
    client.send(`POST /json HTTP/1.1\r\nHost: x\r\nContent-Length: ${BYTES_MAX + 1}\r\n\r\n`);
    expect(await client.response()).toMatchObject({ status: 413 });
    client.send('x'.repeat(BYTES_MAX + 1));
    await sleep(20);
    client.send('GET /about HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await client.response()).toMatchObject({ status: 200 });
  });

  it('reads the next request after a body that the handler did not read', async () => {
    const client = await context.connect();
    client.send(`POST /unread HTTP/1.1\r\nHost: x\r\n${chunked('a'.repeat(40_000), 'b')}`);
    expect(await client.response()).toMatchObject({ status: 403 });
    client.send('GET /about HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await client.response()).toMatchObject({ status: 200 });
  });

  it('streams an upload, with declared length or chunked', async () => {
    const bytes = Buffer.alloc(3_000_000, 'u');
    expect(await outcome(await post('/upload', bytes))).toEqual([
      200,
      '{"bytes":3000000,"declared":3000000}',
    ]);
    const stream = new Blob([bytes]).stream();
    expect(await outcome(await post('/upload', stream))).toEqual([200, '{"bytes":3000000,"declared":null}']);
  });

  it('accepts an upload byte by byte', async () => {
    const client = await context.connect();
    await client.sendParts([...`POST /upload HTTP/1.1\r\nHost: x\r\n${chunked('hello', 'world')}`]);
    expect(await client.response()).toMatchObject({ status: 200, text: '{"bytes":10,"declared":null}' });
    await client.sendParts([...'POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello']);
    expect(await client.response()).toMatchObject({ status: 200, text: '{"bytes":5,"declared":5}' });
  });

  it('refuses an empty upload, with declared length or chunked', async () => {
    expect(await outcome(await post('/upload'))).toEqual([400, 'refused: body-empty']);
    const client = await context.connect();
    client.send(`POST /upload HTTP/1.1\r\nHost: x\r\n${chunked()}`);
    expect(await client.response()).toMatchObject({ status: 400, text: 'refused: body-empty' });
  });

  it('refuses an upload that exceeds the limit while it arrives', async () => {
    const { seen } = context.app;
    const piece = Buffer.alloc(1_000_000);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(piece) });
    // A client that is still sending may only see the closed connection.
    const response = await post('/upload', endless).catch(() => undefined);
    if (response !== undefined) expect(response.status).toBe(413);
    expect(seen.aborted).toContain('/upload RequestRefused');
    expect(seen.uploadedBytes).toBeLessThanOrEqual(50_000_000);
  });

  it('reports to the handler that the client disconnected during the upload', async () => {
    const { seen } = context.app;
    const client = await context.connect();
    client.send('POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nhalf');
    await expect.poll(() => seen.uploadedBytes).toBe(4);
    client.destroy();
    await expect.poll(() => seen.aborted).toContain('/upload ClientDisconnected');
    await expect.poll(() => context.logLines.some(({ status }) => status === 499)).toBe(true);
  });

  it('pauses the client while the handler does not read', async () => {
    const client = await context.connect();
    client.send('POST /held HTTP/1.1\r\nHost: x\r\nContent-Length: 40000000\r\n\r\n');
    client.send(Buffer.alloc(40_000_000));
    await expect.poll(() => context.app.seen.handled).toContain('POST /held');
    await sleep(500);
    // The rest is in the buffers of the operating system, which take a few MB.
    expect(client.socket.writableLength).toBeGreaterThan(20_000_000);
    context.app.release();
    expect(await client.response()).toMatchObject({ status: 200, text: '{"bytes":40000000}' });
  });

  it('reads the body after an asynchronous guard', async () => {
    const client = await context.connect();
    client.send('POST /guarded HTTP/1.1\r\nHost: x\r\nX-Key: secret\r\nContent-Length: 90000\r\n\r\n');
    client.send(Buffer.alloc(90_000));
    expect(await client.response()).toMatchObject({ status: 200, text: '{"bytes":90000}' });
  });

  it('runs the guard before reading the body', async () => {
    const client = await context.connect();
    client.send('POST /guarded HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n');
    expect(await client.response()).toMatchObject({ status: 418, text: 'teapot' });
  });

  it('sends 100 Continue to a client that expects it', async () => {
    const client = await context.connect();
    client.send('POST /upload HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n');
    await expect.poll(() => client.rest).toContain('100 Continue');
    client.send('hello');
    expect(await client.response()).toMatchObject({ status: 200, text: '{"bytes":5,"declared":5}' });
  });
});
