/** What the page is told while the server works. */
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

async function ask(key: string, after = 0, init: RequestInit = { headers: UPLOADER }): Promise<Progress> {
  const response = await fetch(`${server.url}/api/v1/progress/${key}?after=${after}`, init);
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  return (await response.json()) as Progress;
}

/** Every answer until the upload is over. */
async function follow(key: string): Promise<Progress[]> {
  const answers: Progress[] = [];
  for (let after = 0; ; ) {
    const news = await ask(key, after);
    answers.push(news);
    if (news.done) return answers;
    after = news.changes;
  }
}

/** Sends half of a file, and gives what sends the rest and waits for the answer. */
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

test('steps are told when they begin and when they end', async () => {
  const key = newKey();
  const finish = halfOf('gray_a.jpg', fileBytes('gray_a.jpg'), key);
  const first = await ask(key);
  expect(first).toMatchObject({ done: false, steps: [{ name: 'receive' }] });
  expect(first.steps[0]).not.toHaveProperty('ms');
  const [answers, response] = await Promise.all([follow(key), finish()]);
  expect(response).toMatch(/^HTTP\/1\.1 201 /);
  const { steps = [] } = answers.at(-1) ?? {};
  expect(steps.map(({ name }) => name)).toEqual(['receive', 'mediatype', 'wait', 'image', 'meta', 'save']);
  for (const { description, ms } of steps) {
    expect(description).toMatch(/^[A-Z]/);
    expect(ms).toBeGreaterThanOrEqual(0);
  }
});

test('the answer is the same whether somebody watches or not', async () => {
  const bodies = [];
  for (const query of ['', `?progress=${newKey()}`]) {
    const response = await upload(server.url, 'gray_a.jpg', fileBytes('gray_a.jpg'), { query });
    const { media_id, content, ...rest } = (await response.json()) as Record<string, unknown>;
    bodies.push([response.status, rest]);
  }
  expect(bodies[1]).toEqual(bodies[0]);
});

test('whoever asks late learns that it is over, also when it failed', async () => {
  const key = newKey();
  const options = { query: `?progress=${key}`, headers: UPLOADER };
  const response = await upload(server.url, 'blank_a.txt', fileBytes('blank_a.txt'), options);
  expect(response.status).toBe(422);
  expect(await ask(key)).toMatchObject({
    done: true,
    steps: [{ name: 'receive' }, {}, {}, { name: 'text' }],
  });
});

test('nobody else is told', async () => {
  const key = newKey();
  const finish = halfOf('gray_a.jpg', fileBytes('gray_a.jpg'), key);
  await ask(key);
  const stranger = { headers: { 'X-Forwarded-For': '192.0.2.2' }, signal: AbortSignal.timeout(1000) };
  await expect(ask(key, 0, stranger)).rejects.toThrow(/timeout/);
  await finish();
});

test.each([
  ['short', 400, '/iscc?progress=abc'],
  ['with other characters', 400, `/iscc?progress=${'%2F'.repeat(20)}`],
  ['nothing that a key can be', 404, '/progress/abc'],
  ['no number', 400, '/progress/0123456789abcdef?after=x'],
])('a key that is %s', async (_, status, path) => {
  const isUpload = path.startsWith('/iscc');
  const init = isUpload ? { method: 'POST', headers: filenameHeader('a.bin'), body: 'x' } : {};
  expect((await fetch(`${server.url}/api/v1${path}`, init)).status).toBe(status);
});
