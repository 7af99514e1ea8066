/** Responses that end before the request does, on connections that close then: the client must get them whole. */
import { expect, it } from 'vitest';
import { HOST, SMUGGLED } from './support/malformed.js';
import type { RawResponse } from './support/raw.js';
import { overEachTransport } from './support/servers.js';

/** More than the buffers of a connection take. */
const BODY_BYTES = 8_000_000;
/** A lost response is a race: many attempts make it likely. */
const ATTEMPTS = 20;
const PIECE = 'x'.repeat(10_000);

const CODINGS = {
  chunked: {
    header: 'Transfer-Encoding: chunked',
    piece: `${PIECE.length.toString(16)}\r\n${PIECE}\r\n`,
    end: '0\r\n\r\n',
  },
  'a known length': { header: `Content-Length: ${BODY_BYTES}`, piece: PIECE, end: '' },
} as const;
type Coding = keyof typeof CODINGS;

overEachTransport('a response before the end of the request', (context) => {
  /** Sends all of a large body and then reads the response, as simple clients do. */
  async function responseTo(
    target: string,
    headers: string,
    coding: Coding,
  ): Promise<RawResponse | undefined> {
    const client = await context.connect();
    const { header, piece, end } = CODINGS[coding];
    const head = `POST ${target} HTTP/1.1\r\n${headers}Content-Type: application/json\r\n${header}\r\n\r\n`;
    client.socket.pause();
    const bytes = Buffer.from(head + piece.repeat(BODY_BYTES / PIECE.length) + end);
    await new Promise((sent) => client.socket.write(bytes, sent));
    client.socket.resume();
    const response = await client.response();
    expect(await client.closes()).toBe(true);
    expect(client.rest).toBe('');
    return response;
  }

  it.each([
    ['/nothing', 'chunked', 404],
    ['/nothing', 'a known length', 404],
    ['/json', 'chunked', 413],
    ['/json', 'a known length', 413],
  ] as const)(
    'with Connection: close, %s and a body that is %s, is whole',
    async (target, coding, status) => {
      for (let i = 0; i < ATTEMPTS; i += 1) {
        const response = await responseTo(target, `${HOST}Connection: close\r\n`, coding);
        expect([i, response?.status]).toEqual([i, status]);
        expect(response?.text).not.toBe('');
      }
    },
  );

  it('to an unknown expectation is whole', async () => {
    for (let i = 0; i < ATTEMPTS; i += 1) {
      const response = await responseTo('/json', `${HOST}Expect: x\r\n`, 'a known length');
      expect([i, response?.status]).toEqual([i, 417]);
    }
  });

  it('is complete soon after the client stops sending', async () => {
    const client = await context.connect();
    client.send(`POST /nothing HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: 50\r\n\r\nhello`);
    expect(await client.response()).toMatchObject({ status: 404 });
    expect(await client.closes(5000)).toBe(true);
  });

  it('is followed by no other request', async () => {
    const client = await context.connect();
    client.send(`POST /nothing HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: 50\r\n\r\n`);
    await expect.poll(() => client.rest).toContain('404');
    client.send('x'.repeat(50) + SMUGGLED + SMUGGLED);
    expect(await client.closes(5000)).toBe(true);
    expect(context.app.seen.handled).not.toContain('DELETE /thing/smuggled');
  });

  it('does not hold up a stop of the server', async () => {
    const client = await context.connect();
    client.send(`POST /nothing HTTP/1.1\r\n${HOST}Connection: close\r\nContent-Length: 50\r\n\r\nhello`);
    await expect.poll(() => client.rest).toContain('404');
    const stopped = context.server.stop();
    expect(await client.response()).toMatchObject({ status: 404 });
    await stopped;
  });
});
