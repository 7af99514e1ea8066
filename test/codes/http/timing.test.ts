import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, postJson, upload } from '../support/client.js';
import { fileBytes } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes();
});
afterAll(() => server.close());

/** Parses step names and milliseconds from the Server-Timing header, checking its grammar. */
function stepsOf(response: Response): Map<string, number> {
  const header = response.headers.get('server-timing') ?? '';
  const steps = [...header.matchAll(/(\w+);desc="([^"]+)";dur=(\d+\.\d\d)(?:, |$)/g)];
  expect(steps.map(([text]) => text).join('')).toBe(header);
  return new Map(steps.map(([, name = '', , ms]) => [name, Number(ms)]));
}

test.each([
  ['gray_a.jpg', ['receive', 'mediatype', 'wait', 'image', 'meta', 'save']],
  ['long_a.txt', ['receive', 'mediatype', 'wait', 'text', 'meta', 'save']],
  ['random_a.bin', ['receive', 'mediatype', 'save']],
])('the response to %s has the time of each step', async (file, names) => {
  const start = performance.now();
  const response = await upload(server.url, file, fileBytes(file));
  const elapsed = performance.now() - start;
  const steps = stepsOf(response);
  expect([...steps.keys()].sort()).toEqual([...names].sort());
  for (const [name, ms] of steps) expect([name, ms >= 0 && ms <= elapsed]).toEqual([name, true]);
});

test('the response to embedding has its own steps', async () => {
  const { media_id } = await bodyOf(await upload(server.url, 'gray_a.jpg', fileBytes('gray_a.jpg')));
  const response = await postJson(server.url, `/metadata/${media_id}`, { name: 'Title' });
  expect(response.status).toBe(201);
  expect([...stepsOf(response).keys()]).toEqual(expect.arrayContaining(['copy', 'embed', 'read', 'save']));
});

test('an error response has no steps', async () => {
  const response = await upload(server.url, 'blank_a.txt', fileBytes('blank_a.txt'));
  expect([response.status, response.headers.get('server-timing')]).toEqual([422, null]);
});
