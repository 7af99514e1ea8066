/** I/O errors and hangs on the records' meta pages. After an error LMDB refuses all work until it is reopened. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { noise, sha256, type UploadAnswer, upload, uploaded } from '../codes/support/client.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { type CodesProcess, serveCodes } from '../codes/support/process.js';
import { build } from './support/preload.js';

const EXIT_BROKEN = 70;

/** Starts the service with a library that makes writes fail while the file `trigger` exists. */
async function startWithFaults(folder: string, name: 'once' | 'always' | 'hang' | 'names') {
  const library = build('fail-writes.c', folder);
  const trigger = path.join(folder, name);
  const server = await serveCodes(folder, { LD_PRELOAD: library, FAULT_TRIGGER: trigger });
  return { server, trigger };
}

async function expectStored(
  server: CodesProcess,
  { media_id }: UploadAnswer,
  bytes: Uint8Array,
): Promise<void> {
  const response = await fetch(`${server.url}/api/v1/media/${media_id}`);
  expect(response.status).toBe(200);
  expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
}

test.skipIf(process.platform !== 'linux')('one error costs no upload: the records are reopened', async () => {
  const { server, trigger } = await startWithFaults(await temporaryFolder(), 'once');
  const before = await uploaded(server.url, 'a.bin', noise(1000, 1));
  await writeFile(trigger, '');
  const during = await Promise.all(
    [2, 3, 4, 5, 6].map((seed) => uploaded(server.url, 'a.bin', noise(1000, seed), { to: 'media' })),
  );
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  await expectStored(server, before, noise(1000, 1));
  for (const [index, answer] of during.entries()) await expectStored(server, answer, noise(1000, index + 2));
  await server.stop();
  expect(server.exitCode()).toBe(0);
});

test.skipIf(process.platform !== 'linux')('lasting errors end the process with status 70', async () => {
  const folder = await temporaryFolder();
  const { server, trigger } = await startWithFaults(folder, 'always');
  const acknowledged = await uploaded(server.url, 'a.bin', noise(1000));
  await writeFile(trigger, '');
  await expect(upload(server.url, 'b.bin', noise(1000, 2))).rejects.toThrow();
  await vi.waitFor(() => expect(server.exitCode()).toBe(EXIT_BROKEN), 10_000);
  await expect.poll(() => server.output()).toContain('records can not be written');
  await rm(trigger);
  const restarted = await serveCodes(folder);
  await expectStored(restarted, acknowledged, noise(1000));
  expect((await fetch(`${restarted.url}/readyz`)).status).toBe(200);
});

test.skipIf(process.platform !== 'linux')(
  'a hanging disk gets 503s, also for readiness, and recovers',
  async () => {
    const { server, trigger } = await startWithFaults(await temporaryFolder(), 'hang');
    const before = await uploaded(server.url, 'a.bin', noise(1000));
    await writeFile(trigger, '');
    const response = await upload(server.url, 'b.bin', noise(1000, 2));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.text()).toMatch(/^Service Unavailable - .*could not be recorded/);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    const probe = await fetch(`${server.url}/readyz`);
    expect([probe.status, await probe.json()]).toMatchObject([
      503,
      { status: 'not_ready', reason: 'the last upload could not be recorded' },
    ]);
    await expectStored(server, before, noise(1000));
    await rm(trigger);
    await vi.waitFor(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200), 10_000);
    await uploaded(server.url, 'c.bin', noise(1000, 3));
  },
  60_000,
);

test.skipIf(process.platform !== 'linux')('an upload that can not be written ends readiness', async () => {
  // Only syncs of folders fail.
  const { server, trigger } = await startWithFaults(await temporaryFolder(), 'names');
  const before = await uploaded(server.url, 'a.bin', noise(1000));
  await writeFile(trigger, '');
  expect((await upload(server.url, 'b.bin', noise(1000, 2))).status).toBe(500);
  const probe = await fetch(`${server.url}/readyz`);
  const reason = 'the last upload could not be written';
  expect([probe.status, await probe.json()]).toMatchObject([503, { status: 'not_ready', reason }]);
  await expectStored(server, before, noise(1000));
  await rm(trigger);
  await vi.waitFor(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200), 10_000);
  await uploaded(server.url, 'c.bin', noise(1000, 3));
});
