/** Progress of an upload as the browser page polls it. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filenameHeader, upload } from '../support/client.js';
import { fileBytes } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes({ config: { proxies: 1 } });
});
afterAll(() => server?.close());

interface Progress {
  readonly changes: number;
  readonly done: boolean;
  readonly steps: readonly { readonly name: string; readonly description: string; readonly ms?: number }[];
}

const UPLOADER = { 'X-Forwarded-For': '192.0.2.1' };
let keys = 0;
const newKey = () => {
  keys += 1;
  return `key-of-the-test-${keys}`;
};

async function poll(key: string, after = 0, init: RequestInit = { headers: UPLOADER }): Promise<Progress> {
  const response = await fetch(`${server.url}/api/v1/progress/${key}?after=${after}`, init);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return (await response.json()) as Progress;
}

/** All responses until the upload ends. */
async function follow(key: string): Promise<Progress[]> {
  const responses: Progress[] = [];
  for (let after = 0; ; ) {
    const progress = await poll(key, after);
    responses.push(progress);
    if (progress.done) return responses;
    after = progress.changes;
  }
}

/** Sends half of a file. The returned function sends the rest and returns the response. */
function halfOf(name: string, bytes: Uint8Array, key: string): () => Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  const headers = { ...filenameHeader(name), ...UPLOADER, 'Content-Length': bytes.byteLength, Host: 'x' };
  const lines = Object.entries({ ...headers, Connection: 'close' }).map((header) => header.join(': '));
  socket.write(`POST /api/v1/iscc?progress=${key} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const half = bytes.byteLength >> 1;
  socket.write(bytes.subarray(0, half));
  return () =>
    new Promise((resolve, reject) => {
      let answer = '';
      socket.on('data', (data) => (answer += data));
      socket.on('error', reject);
      socket.on('close', () => resolve(answer));
      socket.write(bytes.subarray(half));
    });
}

test('steps are reported when they begin and when they end', async () => {
  const key = newKey();
  const finish = halfOf('gray_a.jpg', fileBytes('gray_a.jpg'), key);
  const first = await poll(key);
  expect(first).toMatchObject({ done: false, steps: [{ name: 'receive' }] });
  expect(first.steps[0]).not.toHaveProperty('ms');
  const [polled, response] = await Promise.all([follow(key), finish()]);
  expect(response).toMatch(/^HTTP\/1\.1 201 /);
  const { steps = [] } = polled.at(-1) ?? {};
  expect(steps.map(({ name }) => name)).toEqual(['receive', 'mediatype', 'wait', 'image', 'meta', 'save']);
  for (const { description, ms } of steps) {
    expect(description).toMatch(/^[A-Z]/);
    expect(ms).toBeGreaterThanOrEqual(0);
  }
});

test('the result does not depend on whether progress is polled', async () => {
  const bodies = [];
  for (const query of ['', `?progress=${newKey()}`]) {
    const response = await upload(server.url, 'gray_a.jpg', fileBytes('gray_a.jpg'), { query });
    const { media_id, content, ...rest } = (await response.json()) as Record<string, unknown>;
    bodies.push([response.status, rest]);
  }
  expect(bodies[1]).toEqual(bodies[0]);
});

test('a late poll learns of the end, also of a failed upload', async () => {
  const key = newKey();
  const options = { query: `?progress=${key}`, headers: UPLOADER };
  const response = await upload(server.url, 'blank_a.txt', fileBytes('blank_a.txt'), options);
  expect(response.status).toBe(422);
  expect(await poll(key)).toMatchObject({
    done: true,
    steps: [{ name: 'receive' }, {}, {}, { name: 'text' }],
  });
});

test('other clients see no progress', async () => {
  const key = newKey();
  const finish = halfOf('gray_a.jpg', fileBytes('gray_a.jpg'), key);
  await poll(key);
  const stranger = { headers: { 'X-Forwarded-For': '192.0.2.2' }, signal: AbortSignal.timeout(1000) };
  await expect(poll(key, 0, stranger)).rejects.toThrow(/timeout/);
  await finish();
});

test.each([
  ['short', 400, '/iscc?progress=abc'],
  ['with other characters', 400, `/iscc?progress=${'%2F'.repeat(20)}`],
  ['malformed in the path', 404, '/progress/abc'],
  ['followed by an invalid number', 400, '/progress/0123456789abcdef?after=x'],
])('rejects a key that is %s', async (_, status, path) => {
  const isUpload = path.startsWith('/iscc');
  const init = isUpload ? { method: 'POST', headers: filenameHeader('a.bin'), body: 'x' } : {};
  expect((await fetch(`${server.url}/api/v1${path}`, init)).status).toBe(status);
});
