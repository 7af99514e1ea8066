/** The wall clock jumps while uploads are alive: none is deleted too early, and none stays for the length of the jump. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { noise, sha256, uploaded } from '../codes/support/client.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { serveCodes } from '../codes/support/process.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { build } from './support/preload.js';

const YEAR_SECONDS = 365 * 86_400;
/** Rounds of the clean-up, one a second. */
const ROUNDS_MS = 3500;
const TEST_MS_MAX = 60_000;

async function started(expirySeconds: number) {
  const folder = await temporaryFolder();
  const shift = path.join(folder, 'shift');
  const server = await serveCodes(folder, {
    LD_PRELOAD: build('shift-clock.c', folder),
    CLOCK_SHIFT: shift,
    CODEWEB_STORAGE_EXPIRY: String(expirySeconds),
    CODEWEB_CLEANUP_INTERVAL: '1',
  });
  const files = () => readdir(path.join(folder, 'media', 'files'));
  const get = (id: string) => fetch(`${server.url}/api/v1/media/${id}`);
  return { server, shift, files, get };
}

describe.skipIf(process.platform !== 'linux')('a clock that jumps ahead by a year', () => {
  test('deletes no upload that is alive', { timeout: TEST_MS_MAX }, async () => {
    const { server, shift, files, get } = await started(3600);
    const bytes = noise(5000);
    const { media_id: id } = await uploaded(server.url, 'a.bin', bytes, { to: 'media' });
    await writeFile(shift, String(YEAR_SECONDS));
    // The clock of the service was set indeed.
    await vi.waitFor(async () => expect((await get(id)).status).toBe(404));
    await vi.waitFor(() => expect(server.output()).toContain('the clock jumped ahead'), 10_000);
    await pause(ROUNDS_MS);
    expect(await files()).toEqual([id]);
    await rm(shift);
    const response = await get(id);
    expect(response.status).toBe(200);
    expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
  });

  test('keeps no upload longer than twice its lifetime', { timeout: TEST_MS_MAX }, async () => {
    const { server, shift, files } = await started(4);
    const { media_id: before } = await uploaded(server.url, 'a.bin', noise(5000, 1), { to: 'media' });
    await writeFile(shift, String(YEAR_SECONDS));
    const { media_id: during } = await uploaded(server.url, 'b.bin', noise(5000, 2), { to: 'media' });
    await rm(shift);
    const { media_id: after } = await uploaded(server.url, 'c.bin', noise(5000, 3), { to: 'media' });
    expect((await files()).sort()).toEqual([before, during, after].sort());
    await vi.waitFor(async () => expect(await files()).toEqual([]), { timeout: 20_000, interval: 200 });
  });
});

describe.skipIf(process.platform !== 'linux')('a clock that is ten minutes ahead of the bucket', () => {
  let s3: SeaweedServer;
  beforeAll(async () => {
    s3 = await startSeaweed();
  }, INSTALL_MAX_MS);
  afterAll(() => s3?.stop());

  async function instance(bucket: string, variables: Record<string, string>) {
    const folder = await temporaryFolder();
    return serveCodes(folder, {
      ...s3.variables,
      CODEWEB_MEDIA_PATH: `s3://${bucket}/media`,
      ISCCD_DATA_DIR: folder,
      CODEWEB_STORAGE_EXPIRY: '300',
      ...variables,
    });
  }

  test('deletes no upload of other instances', { timeout: TEST_MS_MAX }, async () => {
    const bucket = await s3.createBucket();
    const right = await instance(bucket, { CODEWEB_CLEANUP_INTERVAL: '0' });
    const bytes = noise(5000);
    const { media_id: id } = await uploaded(right.url, 'a.bin', bytes, { to: 'media' });
    const folder = await temporaryFolder();
    const shift = path.join(folder, 'shift');
    // S3 refuses requests of clocks that are more than 15 minutes ahead.
    await writeFile(shift, '600');
    await instance(bucket, {
      LD_PRELOAD: build('shift-clock.c', folder),
      CLOCK_SHIFT: shift,
      CODEWEB_CLEANUP_INTERVAL: '1',
    });
    await pause(ROUNDS_MS);
    expect((await fetch(`${right.url}/api/v1/media/${id}`)).status).toBe(200);
  });
});
