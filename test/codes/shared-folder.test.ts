/** A media folder has one process: a second one is refused at its start. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LOCK_FILE, lockFolder } from '../../src/storage/data/folder-lock.js';
import { FormatRefused } from '../../src/storage/data/format.js';
import { isccd } from '../support/command.js';
import { noise, uploaded } from './support/client.js';
import { temporaryFolder } from './support/folder.js';
import { serveCodes } from './support/process.js';

test('a second process is refused with a hint at S3, and the first one goes on', {
  timeout: 60_000,
}, async () => {
  const folder = await temporaryFolder();
  const first = await serveCodes(folder);
  const { media_id: id } = await uploaded(first.url, 'a.bin', noise(1000), { to: 'media' });
  const env = { CODEWEB_PORT: '0', CODEWEB_MEDIA_PATH: path.join(folder, 'media') };
  const { code, stderr } = await isccd(['serve', 'codes'], { cwd: folder, env });
  expect([code, stderr]).toEqual([
    expect.any(Number),
    expect.stringMatching(/media is in use by another process; .*CODEWEB_MEDIA_PATH=s3:\/\//),
  ]);
  expect(code).not.toBe(0);
  expect((await fetch(`${first.url}/api/v1/media/${id}`)).status).toBe(200);
  // Neither a killed process nor one that was stopped keeps the folder.
  await first.kill();
  const second = await serveCodes(folder);
  expect((await fetch(`${second.url}/api/v1/media/${id}`)).status).toBe(200);
  await second.stop();
  const third = await serveCodes(folder);
  expect((await fetch(`${third.url}/api/v1/media/${id}`)).status).toBe(200);
});

test('a folder of another service gets no lock file', async () => {
  const folder = await temporaryFolder();
  const media = path.join(folder, 'media');
  await mkdir(media);
  await writeFile(path.join(media, 'FORMAT'), 'isccd store 1\n');
  await expect(serveCodes(folder)).rejects.toThrow(/data directory of the service store/);
  expect(await readdir(media)).toEqual(['FORMAT']);
});

test('a lock ends with its release, and waits for a process that stops', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-lock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const unlock = await lockFolder(folder, 'use another one');
  await expect(lockFolder(folder, 'use another one')).rejects.toThrow(
    new FormatRefused(`${folder} is in use by another process; use another one`),
  );
  const next = lockFolder(folder, '');
  unlock();
  (await next)();
  expect(await readdir(folder)).toEqual([LOCK_FILE]);
});
