/** Large JSON bodies of /simprint: they are parsed off the event loop and share a memory limit. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { bodyOf, postJson } from '../support/client.js';
import { startCodes } from '../support/server.js';

const MIB = 1024 ** 2;

test('ignores other members of the JSON object', async () => {
  const server = await startCodes();
  onTestFinished(() => server.close());
  const text = 'A text among other members.';
  const expected = await bodyOf(await postJson(server.url, '/simprint', { text }));
  const odd = `{"a": ${'['.repeat(50_000)}${']'.repeat(50_000)}, "b": [${'{},'.repeat(300_000)}{}]`;
  const response = await postJson(
    server.url,
    '/simprint',
    `\u{feff}${odd}, "text": ${JSON.stringify(text)}}`,
  );
  expect([response.status, await bodyOf(response)]).toEqual([200, expected]);
  const wrong = await postJson(server.url, '/simprint', `${odd}, "text": 5}`);
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toMatch(/^Bad Request - .*integer.*string for `text`/);
});

test('responds with 503 above the shared memory limit and recovers', async () => {
  const server = await startCodes();
  onTestFinished(() => server.close());
  const { hostname, port } = new URL(server.url);
  const part = Buffer.alloc(100 * MIB, ' ');
  /** Sends all but the last byte of a body. */
  const begin = async (): Promise<Socket> => {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const head = `POST /api/v1/simprint HTTP/1.1\r\nHost: x\r\nContent-Length: ${part.length + 1}\r\n\r\n`;
    socket.write(head);
    await new Promise((resolve) => socket.write(part, resolve));
    return socket;
  };
  const [first] = [await begin(), await begin()];
  const third = await begin();
  const [response] = (await once(third, 'data')) as [Buffer];
  expect(response.toString()).toMatch(/^HTTP\/1\.1 503 /);
  expect(response.toString().toLowerCase()).toContain('\r\nretry-after: ');
  expect((await postJson(server.url, '/simprint', { text: 'small' })).status).toBe(200);

  first?.destroy();
  const retry = async () => {
    const body = JSON.stringify({ text: 'small' }).padEnd(100 * MIB, ' ');
    return (await postJson(server.url, '/simprint', body)).status;
  };
  await expect.poll(retry, { timeout: 30_000 }).toBe(200);
});
