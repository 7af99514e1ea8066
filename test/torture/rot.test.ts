/**
 * Stored files that change on the disk: a manifest is 503 with the reason until its bytes are uploaded again, the others are
 * served, and `isccd verify` names each upload that differs.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noise, uploaded } from '../codes/support/client.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { serveCodes } from '../codes/support/process.js';
import { acceptedSidecars, bytesOf } from '../store/support/fixtures.js';
import { type StoreClient, startStore } from '../store/support/server.js';
import { isccd } from '../support/command.js';
import { Random, torture } from '../support/torture.js';

const { size, seed, cases, report } = torture('rot');
/** Files that rot at the same time. */
const ROTTEN_MAX = 3;
const UPLOADS = 20;

type Rot = (random: Random, bytes: Buffer) => Buffer;
const ROTS: readonly Rot[] = [
  (random, bytes) => {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    return bytes;
  },
  (random, bytes) => bytes.subarray(0, random.below(bytes.length)),
  (random, bytes) => {
    const from = random.below(bytes.length);
    // A block of zeros where there were others, as a lost write leaves it.
    const at = bytes.findIndex((byte, index) => index >= from && byte !== 0);
    return at < 0 ? bytes.subarray(1) : bytes.fill(0, at, Math.min(at + 512, bytes.length));
  },
  (random, bytes) => Buffer.concat([bytes, random.bytes(1 + random.below(100))]),
  () => Buffer.alloc(0),
];

const sidecars = acceptedSidecars().map((item) => ({
  id: item.expect.manifestId ?? '',
  bytes: Buffer.from(bytesOf(item)),
}));

const damagedBy = async (store: StoreClient) =>
  Number(/^isccd_store_damaged_manifests(\{.*\})? (\d+)$/m.exec(await store.metrics())?.[2]);

/** Expects all manifests but the rotten ones as they were uploaded, and 503 with the reason for those. */
async function expectServed(store: StoreClient, rotten: ReadonlySet<string>): Promise<void> {
  for (const { id, bytes } of sidecars) {
    const response = await store.get(id);
    const body = Buffer.from(await response.arrayBuffer());
    if (!rotten.has(id)) {
      expect([id, response.status, body.equals(bytes)]).toEqual([id, 200, true]);
      continue;
    }
    expect([id, response.status, body.toString()]).toEqual([
      id,
      503,
      expect.stringContaining('is damaged; upload the same bytes'),
    ]);
    expect(response.headers.get('etag')).toBeNull();
  }
  expect(await damagedBy(store)).toBe(rotten.size);
}

test(`${size} rotten manifests`, { timeout: 60_000 + size * 2000 }, async () => {
  const dataDir = await temporaryFolder();
  const store = await startStore({ dataDir, url: undefined });
  onTestFinished(() => store.stop());
  for (const { bytes } of sidecars) expect((await store.upload(bytes)).status).toBe(200);
  const fileOf = (bytes: Buffer) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return path.join(dataDir, 'files', sha256.slice(0, 2), `${sha256}.c2pa`);
  };
  let tried = 0;
  for (const number of cases()) {
    const random = new Random(seed, number);
    const rotten = new Set<string>();
    for (let at = 0; at <= random.below(ROTTEN_MAX); at += 1) {
      const { id, bytes } = random.pick(sidecars);
      rotten.add(id);
      await writeFile(fileOf(bytes), random.pick(ROTS)(random, Buffer.from(bytes)));
    }
    await expectServed(store, rotten);
    for (const { id, bytes } of sidecars.filter((one) => rotten.has(one.id))) {
      expect([id, (await store.upload(bytes)).status]).toEqual([id, 200]);
      expect((await readFile(fileOf(bytes))).equals(bytes)).toBe(true);
    }
    await expectServed(store, new Set());
    tried += rotten.size;
  }
  report({ tried, survived: tried, worst: `of ${sidecars.length} manifests` });
});

test('verify names each rotten upload, and no other', { timeout: 60_000 }, async () => {
  const folder = await temporaryFolder();
  const server = await serveCodes(folder);
  const ids: string[] = [];
  for (let at = 0; at < UPLOADS; at += 1)
    ids.push((await uploaded(server.url, 'a.bin', noise(2000 + at, at))).media_id);
  await server.stop();
  const env = { CODEWEB_MEDIA_PATH: path.join(folder, 'media'), ISCCD_DATA_DIR: folder };
  const random = new Random(seed);
  const rotten = [...new Set(Array.from({ length: 5 }, () => random.pick(ids)))];
  for (const [at, id] of rotten.entries()) {
    const file = path.join(folder, 'media', 'files', id, 'a.bin');
    await writeFile(file, (ROTS[at % ROTS.length] as Rot)(random, await readFile(file)));
  }
  const { code, stdout, stderr } = await isccd(['verify'], { env });
  const output = stdout + stderr;
  expect([code, output]).toEqual([1, expect.any(String)]);
  expect(ids.filter((id) => output.includes(id)).sort()).toEqual([...rotten].sort());
});
