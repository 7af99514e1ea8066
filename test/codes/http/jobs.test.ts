/** Jobs: `Prefer: respond-async` on uploads and embedding. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { bodyOf, filenameHeader, postJson, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { fileBytes } from '../support/reference.js';
import { sample } from '../support/samples.js';
import { type CodesServer, startCodes } from '../support/server.js';

const ASYNC = { Prefer: 'respond-async' };
const DONE_MS_MAX = 60_000;
const CANCEL_MS_MAX = 1000;

describe('jobs', () => {
  let server: CodesServer;
  beforeAll(async () => {
    server = await startCodes();
    return () => server.close();
  });

  async function started(name: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
    const headers = { ...filenameHeader(name), ...ASYNC };
    const response = await fetch(`${server.url}/api/v1/iscc`, { method: 'POST', headers, body });
    expect([response.status, response.headers.get('preference-applied')]).toEqual([202, 'respond-async']);
    const location = response.headers.get('location') ?? '';
    expect(location).toMatch(/^\/api\/v1\/jobs\/[0-9a-f]{32}$/);
    expect(await response.json()).toMatchObject({ state: 'running', id: location.split('/').at(-1) });
    return location;
  }

  const status = async (location: string) => bodyOf(await fetch(server.url + location));

  async function ended(location: string) {
    return vi.waitFor(
      async () => {
        const job = await status(location);
        expect(job.state).not.toBe('running');
        return job;
      },
      { timeout: DONE_MS_MAX },
    );
  }

  test('an upload becomes a result that equals the one of a waiting request', async () => {
    const bytes = fileBytes('photo_a.png');
    const job = await ended(await started('photo_a.png', bytes));
    expect(job).toMatchObject({ state: 'done', percent: 100 });
    const result = await bodyOf(await fetch(`${server.url}${job.location}`));
    const direct = await uploaded(server.url, 'photo_a.png', bytes);
    expect(result.iscc).toBe(direct.iscc);
  });

  test('embedding becomes a copy', async () => {
    const { media_id } = await uploaded(server.url, 'photo_a.png', fileBytes('photo_a.png'), { to: 'media' });
    const response = await postJson(server.url, `/metadata/${media_id}`, { rights: 'R' }, ASYNC);
    expect(response.status).toBe(202);
    const job = await ended(response.headers.get('location') ?? '');
    const extracted = await bodyOf(await fetch(`${server.url}/api/v1/metadata/${job.media_id}`));
    expect(extracted).toEqual({ rights: 'R' });
    const unknown = await postJson(server.url, '/metadata/0000000000000', { rights: 'R' }, ASYNC);
    expect(unknown.status).toBe(404);
  });

  test('a refused file fails the job with its code, and stores nothing', async () => {
    const before = await readdir(path.join(server.folder, 'files'));
    const job = await ended(await started('broken.jpg', fileBytes('truncated_a.jpg').slice(0, 400)));
    expect(job).toMatchObject({ state: 'failed', error: { status: 422, code: 'FILE_DAMAGED' } });
    expect(await readdir(path.join(server.folder, 'files'))).toEqual(before);
  });

  test('events report the job until it ends', async () => {
    const location = await started('song_a.mp3', fileBytes('song_a.mp3'));
    const response = await fetch(server.url + location, { headers: { Accept: 'text/event-stream' } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('event: job'));
    const states = events.map((event) => JSON.parse(event.split('data: ')[1] ?? '').state);
    expect(states.at(-1)).toBe('done');
    expect(states.slice(0, -1).every((state) => state === 'running')).toBe(true);
  });

  test('DELETE ends the work and frees the worker within a second', { timeout: DONE_MS_MAX }, async () => {
    const film = await sample('film.mp4', await temporaryFolder());
    const before = await readdir(path.join(server.folder, 'files'));
    const jobs = await Promise.all([started('a.mp4', film), started('b.mp4', film), started('c.mp4', film)]);
    // The others wait for a worker. Which job is first depends on the order of the connections.
    const decoding = await vi.waitFor(
      async () => {
        const all = await Promise.all(jobs.map(async (job) => ({ job, stage: (await status(job)).stage })));
        const first = all.find(({ stage }) => stage === 'video');
        expect(first).toBeDefined();
        return first?.job ?? '';
      },
      { timeout: 20_000 },
    );
    const start = performance.now();
    const responses = await Promise.all(
      jobs.map((location) => fetch(server.url + location, { method: 'DELETE' })),
    );
    expect(responses.map((response) => response.status)).toEqual([204, 204, 204]);
    const photo = await uploaded(server.url, 'photo_a.png', fileBytes('photo_a.png'), { to: 'media' });
    expect(performance.now() - start).toBeLessThan(CANCEL_MS_MAX);
    expect((await fetch(server.url + decoding)).status).toBe(404);
    expect(await readdir(path.join(server.folder, 'drafts'))).toEqual([]);
    expect(await readdir(path.join(server.folder, 'files'))).toEqual([...before, photo.media_id].sort());
  });

  test('a film reports its percentage while it is decoded', { timeout: DONE_MS_MAX }, async () => {
    const location = await started('a.mp4', await sample('film.mp4', await temporaryFolder()));
    const percent = await vi.waitFor(
      async () => {
        const job = await status(location);
        expect(job.stage).toBe('video');
        expect(job.percent).toBeGreaterThan(6);
        return job.percent as number;
      },
      { timeout: 30_000 },
    );
    expect(percent).toBeLessThan(96);
    await fetch(server.url + location, { method: 'DELETE' });
  });

  test('unknown and malformed ids get a 404', async () => {
    for (const id of ['0'.repeat(32), 'x']) {
      const response = await fetch(`${server.url}/api/v1/jobs/${id}`, { method: 'DELETE' });
      expect(response.status).toBe(404);
    }
  });
});
