/** Reading the metadata of a file has the limits of coding it. */
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { upload, uploaded } from '../support/client.js';
import { fileBytes } from '../support/reference.js';
import { startCodes } from '../support/server.js';

const HANGING = fileURLToPath(new URL('../support/hanging-worker.mjs', import.meta.url));
const PHOTO = fileBytes('photo_a.png');

/** Number of jobs in a state. */
async function jobs(url: string, state: string): Promise<string | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return new RegExp(`^isccd_codes_jobs_${state}(?:\\{.*\\})? (\\d+)$`, 'm').exec(text)?.[1];
}

async function withHangingWorker(jobSecondsMax: number) {
  const config = { maxWorkers: 1, jobSecondsMax };
  const server = await startCodes({ config, workers: { entry: HANGING }, servesMetrics: true });
  onTestFinished(() => server.close());
  const { media_id } = await uploaded(server.url, 'photo.png', PHOTO, { to: 'media' });
  return { url: server.url, address: `${server.url}/api/v1/metadata/${media_id}` };
}

test('its worker is free when the client disconnects', async () => {
  const { url, address } = await withHangingWorker(600);
  const client = new AbortController();
  const reading = fetch(address, { signal: client.signal });
  await expect.poll(() => jobs(url, 'running'), { timeout: 20_000 }).toBe('1');
  // The only worker is busy: the next file waits.
  const coding = upload(url, 'photo.png', PHOTO);
  await expect.poll(() => jobs(url, 'waiting'), { timeout: 20_000 }).toBe('1');
  client.abort();
  await expect(reading).rejects.toThrow();
  expect((await coding).status).toBe(422);
});

test('a file gets a quarter of the time of a job, like its code', async () => {
  const { address } = await withHangingWorker(600);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const client = new AbortController();
  const reading = fetch(address, { signal: client.signal });
  const limit = 150_000 + (PHOTO.byteLength / 1024 ** 2) * 2000;
  await vi.waitFor(() => expect(timers.mock.calls.map(([, ms]) => ms)).toContain(limit), 10_000);
  client.abort();
  await expect(reading).rejects.toThrow();
});
