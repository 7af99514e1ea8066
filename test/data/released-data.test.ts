/**
 * Data directories written by released versions, in `test/fixtures/data/VERSION`: this version opens them and serves all
 * of their content. A new format gets a new folder, created with
 * `ISCCD_KEEP_DATA=0.2.0 npx vitest run test/data/released-data.test.ts`. An existing folder is never recreated.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { DATA_KINDS, FORMAT_FILE, knownFormat } from '../../src/storage/data/format.js';
import { uploaded } from '../codes/support/client.js';
import { acceptedSidecars, bytesOf } from '../store/support/fixtures.js';
import { isccd, type Services, startServices } from './support/services.js';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures');
const KEPT = path.join(FIXTURES, 'data');
const PHOTO = path.join(FIXTURES, 'codes/files/photo-q85_a.jpg');
const INDEX = 'kept';
const SIDECARS = 3;
const START_MS_MAX = 60_000;
/** Locks and logs, which each start creates again. */
const ONLY_WHILE_RUNNING = /(?:lock\.mdb|\.lock|-shm|-wal)$/;

/** Content acknowledged when the directories were created. Digests are SHA-256 in hex. */
interface Content {
  readonly media: readonly { readonly id: string; readonly sha256: string; readonly iscc?: string }[];
  readonly assets: readonly { readonly iscc_id: string; readonly units: readonly string[] }[];
  readonly manifests: readonly { readonly id: string; readonly sha256: string }[];
  readonly removed: string;
}

const toKeep = process.env.ISCCD_KEEP_DATA;
it.runIf(toKeep)('writes the directories of this version', { timeout: START_MS_MAX }, async () => {
  const folder = path.join(KEPT, toKeep ?? '');
  await mkdir(folder);
  const services = await startServices(folder);
  const content = await fill(services).finally(() => services.stop());
  const names = await readdir(folder, { recursive: true });
  for (const name of names) if (ONLY_WHILE_RUNNING.test(name)) await rm(path.join(folder, name));
  await writeFile(path.join(folder, 'content.json'), `${JSON.stringify(content, undefined, 2)}\n`);
});

const versions = readdirSync(KEPT);

it.skipIf(toKeep)('a folder has the formats that this version writes', async () => {
  const formats = versions.map((version) =>
    DATA_KINDS.map((kind) => readFileSync(path.join(KEPT, version, kind, FORMAT_FILE), 'utf8')),
  );
  expect(formats).toContainEqual(DATA_KINDS.map((kind) => `isccd ${kind} ${knownFormat(kind)}\n`));
});

describe.skipIf(toKeep).each(versions)('data of %s', (version) => {
  let services: Services;
  let content: Content;
  let folder: string;
  beforeAll(async () => {
    content = JSON.parse(await readFile(path.join(KEPT, version, 'content.json'), 'utf8')) as Content;
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-kept-'));
    await cp(path.join(KEPT, version), folder, { recursive: true });
    services = await startServices(folder);
  }, START_MS_MAX);
  afterAll(async () => {
    await services?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is migrated to the current formats', async () => {
    for (const kind of DATA_KINDS) {
      const line = await readFile(path.join(folder, kind, FORMAT_FILE), 'utf8');
      expect(line).toBe(`isccd ${kind} ${knownFormat(kind)}\n`);
    }
  });

  it('has its uploads and their codes', async () => {
    for (const { id, sha256, iscc } of content.media) {
      const file = await fetch(`${services.codes}/api/v1/media/${id}`);
      expect([file.status, await digestOf(file)]).toEqual([200, sha256]);
      if (iscc === undefined) continue;
      const result = await fetch(`${services.codes}/api/v1/iscc/${id}`);
      expect([result.status, await result.json()]).toEqual([200, expect.objectContaining({ iscc })]);
    }
  });

  it('has its assets, and finds them', async () => {
    for (const asset of content.assets) {
      const found = await fetch(`${services.search}/indexes/${INDEX}/assets/${asset.iscc_id}`);
      expect([found.status, await found.json()]).toEqual([200, asset]);
      const search = await fetch(`${services.search}/indexes/${INDEX}/search?limit=1`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ units: asset.units }),
      });
      const { global_matches: matches } = (await search.json()) as { global_matches: unknown[] };
      expect(matches).toEqual([expect.objectContaining({ iscc_id: asset.iscc_id, score: 1 })]);
    }
  });

  it('has its manifests, and a deleted one stays deleted', async () => {
    for (const { id, sha256 } of content.manifests) {
      const manifest = await services.store.get(id);
      expect([manifest.status, await digestOf(manifest)]).toEqual([200, sha256]);
    }
    expect((await services.store.get(content.removed)).status).toBe(410);
  });

  it('has no problems', async () => {
    expect(await isccd(['verify', folder, '--json'], {})).toMatchObject({ code: 0, stderr: '' });
  });

  it('accepts new data', async () => {
    const { media_id: id } = await uploaded(services.codes, 'more.bin', new Uint8Array(100), { to: 'media' });
    expect((await fetch(`${services.codes}/api/v1/media/${id}`)).status).toBe(200);
    await addAssets(services, assets(10, 1));
    const [, , , next] = acceptedSidecars();
    if (next === undefined) throw new Error('there are too few sidecars');
    expect((await services.store.upload(bytesOf(next))).status).toBe(200);
  });
});

async function fill(services: Services): Promise<Content> {
  const photo = await readFile(PHOTO);
  const { media_id: coded } = await uploaded(services.codes, 'photo.jpg', photo, { to: 'iscc' });
  const result = (await (await fetch(`${services.codes}/api/v1/iscc/${coded}`)).json()) as { iscc: string };
  const { media_id: stored } = await uploaded(services.codes, 'plain.bin', photo, { to: 'media' });
  await fetch(`${services.search}/indexes`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: `{"name":"${INDEX}"}`,
  });
  const added = assets(0, 5);
  await addAssets(services, added);
  const sidecars = acceptedSidecars().slice(0, SIDECARS);
  for (const item of sidecars) expect((await services.store.upload(bytesOf(item))).status).toBe(200);
  const manifests = sidecars.map((item) => ({
    id: item.expect.manifestId ?? '',
    sha256: digest(bytesOf(item)),
  }));
  const removed = manifests.pop()?.id ?? '';
  expect((await services.store.remove(removed)).ok).toBe(true);
  const sha256 = digest(photo);
  const media = [
    { id: coded, sha256, iscc: result.iscc },
    { id: stored, sha256 },
  ];
  return { media, assets: added, manifests, removed };
}

function assets(from: number, count: number): Content['assets'] {
  return Array.from({ length: count }, (_, at) => {
    const body = createHash('sha256')
      .update(String(from + at))
      .digest();
    const units = [2, 3, 4].map((main) => native.encodeUnit(main, main === 2 ? 1 : 0, 0, 256, body));
    return { iscc_id: native.isccId(0, 1_700_000_000_000_000 + from + at, 1), units };
  });
}

async function addAssets(services: Services, added: Content['assets']): Promise<void> {
  const response = await fetch(`${services.search}/indexes/${INDEX}/assets`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(added),
  });
  expect(response.status).toBe(201);
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

async function digestOf(response: Response): Promise<string> {
  return digest(new Uint8Array(await response.arrayBuffer()));
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
