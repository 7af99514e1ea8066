/** Full disk under the codes service: responses are 507, nothing acknowledged is lost, and it recovers. */
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bodyOf, noise, postJson, sha256, upload } from '../codes/support/client.js';
import { serveCodes } from '../codes/support/process.js';
import { fileBytes } from '../codes/support/reference.js';
import { fill, smallDisk } from './support/small-disk.js';

const DISK_MEGABYTES = 12;
/** The file fits into the last pages, its simprints do not. */
const TEXT = Buffer.from(
  Array.from({ length: 700 }, (_, index) => `word ${index} of ${sha256(noise(8, index))}`).join('\n'),
);
const PICTURE = fileBytes('tiny_32x32_a.png');
const FULL = [507, 'Insufficient Storage - no space left for the file.'];

test('returns 507, keeps data and recovers', { timeout: 180_000 }, async (context) => {
  const disk = await smallDisk(DISK_MEGABYTES, context);
  const ballast = path.join(disk, 'ballast');
  let server = await serveCodes(disk, { ISCCD_METRICS_PUBLIC: 'true' });
  const stored = new Map<string, string>();
  const keep = async (response: Response, bytes: Uint8Array) =>
    stored.set((await bodyOf(response)).media_id, sha256(bytes));
  const answer = async (response: Response) => [response.status, await response.text()];
  const expectKept = async () => {
    const files = await readdir(path.join(disk, 'media', 'files'));
    expect(files.toSorted()).toEqual([...stored.keys()].toSorted());
    for (const [id, hash] of stored) {
      const response = await fetch(`${server.url}/api/v1/media/${id}`);
      expect([response.status, sha256(new Uint8Array(await response.arrayBuffer()))]).toEqual([200, hash]);
    }
  };
  const picture = await upload(server.url, 'tiny.png', PICTURE);
  await keep(picture, PICTURE);
  const [pictureId] = stored.keys();

  await fill(ballast, 0);
  expect(await answer(await upload(server.url, 'a.bin', noise(60_000, 1), { to: 'media' }))).toEqual(FULL);
  expect(await answer(await upload(server.url, 'a.txt', TEXT))).toEqual(FULL);
  expect(await answer(await postJson(server.url, `/metadata/${pictureId}`, { name: 'new' }))).toEqual(FULL);
  const notReady = [503, expect.stringContaining('{"status":"not_ready","reason":"the disk is full"')];
  expect(await answer(await fetch(`${server.url}/readyz`))).toEqual(notReady);
  // The alert IsccdNotReady needs it.
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('isccd_ready{service="codes"} 0');

  // With more and more space: first the file fits, then its record, then both.
  const seen = new Set<number>();
  for (let pages = 4; pages < 60 && seen.size < 2; pages += 4) {
    await fill(ballast, pages);
    const response = await upload(server.url, 'a.txt', TEXT, { query: '?granular=true' });
    seen.add(response.status);
    if (response.status === 201) await keep(response, TEXT);
    else {
      expect(await answer(response)).toEqual(FULL);
      await expectKept();
    }
  }
  expect([...seen]).toEqual([507, 201]);
  await expectKept();

  await rm(ballast);
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
  await keep(await upload(server.url, 'a.txt', TEXT), TEXT);
  expect((await fetch(`${server.url}/api/v1/media/${pictureId}`, { method: 'DELETE' })).status).toBe(204);
  stored.delete(pictureId as string);
  await server.kill();
  server = await serveCodes(disk);
  await expectKept();

  // Expired uploads make space, even if the records cannot be changed.
  await server.kill();
  await fill(ballast, 0);
  // The start removes uploads that are older than the expiry; make all of them so.
  await sleep(1100);
  server = await serveCodes(disk, { CODEWEB_STORAGE_EXPIRY: '1' });
  expect((await upload(server.url, 'tiny.png', PICTURE)).status).toBe(201);
});
