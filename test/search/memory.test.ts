/** `memory://`: what is particular about indexes that end with the process. */
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { randomAsset } from './support/random-assets.js';
import { startProcess } from './support/search-process.js';
import { post } from './support/search-server.js';

/** Files of indexes in a folder and in those inside. */
async function indexFiles(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.mdb'));
}

test('leaves no files, neither while it runs nor when it is killed', async () => {
  const folder = await temporaryFolder();
  const service = await startProcess('memory://', { TMPDIR: folder });
  await post(`${service.url}/indexes`, { name: 'main' });
  const asset = randomAsset(1);
  expect((await post(`${service.url}/indexes/main/assets`, [asset])).status).toBe(201);
  const found = await post(`${service.url}/indexes/main/search`, { units: asset.units });
  expect(await found.json()).toMatchObject({ global_matches: [{ iscc_id: asset.iscc_id, score: 1 }] });
  expect(await indexFiles(folder)).toEqual([]);
  await service.kill();
  expect(await indexFiles(folder)).toEqual([]);
});

test('an index is empty again when it is deleted and created, or when another one is renamed', async () => {
  const folder = await temporaryFolder();
  const service = await startProcess('memory://', { TMPDIR: folder });
  const count = async (name: string) =>
    ((await (await fetch(`${service.url}/indexes/${name}`)).json()) as { assets: number }).assets;
  const create = (name: string) => post(`${service.url}/indexes`, { name });
  await create('main');
  await post(`${service.url}/indexes/main/assets`, [randomAsset(1)]);
  await post(`${service.url}/indexes/main/rename`, { name: 'other' });
  await create('main');
  expect([await count('main'), await count('other')]).toEqual([0, 1]);
  await fetch(`${service.url}/indexes/other`, { method: 'DELETE' });
  await create('other');
  expect(await count('other')).toBe(0);
  await service.stop();
});

test('refuses to start without a folder for temporary files, and says how to name one', async () => {
  const started = startProcess('memory://', { TMPDIR: '/proc/none' });
  await expect(started).rejects.toThrow(
    /cannot use \/proc\/none for temporary files: .*; set TMPDIR to a writable folder/,
  );
});
