/** Manifest Stores are read in processes of their own: a store that ends its reader costs nothing but its own request. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { ManifestReader } from '../../src/c2pa/manifest-reader.js';
import { ManifestWorkers } from '../../src/c2pa/manifest-workers.js';
import { anchorLists } from '../../src/c2pa/trust-lists.js';
import { native } from '../../src/native.js';
import { createLogger, type Logger } from '../../src/platform/observe/log.js';
import type { PoolLimits } from '../../src/platform/workers/worker-process.js';
import { acceptedSidecars, bytesOf, SIDECARS, sidecar, TRUST_ANCHORS } from '../store/support/fixtures.js';
import { startStore } from '../store/support/server.js';

const DOOMED = fileURLToPath(new URL('support/doomed-manifest-worker.mjs', import.meta.url));
const anchors = anchorLists(readFileSync(TRUST_ANCHORS, 'utf8'));
const good = bytesOf(sidecar('ok-es256-iscc4'));

function doomed(limits: Partial<PoolLimits> = {}) {
  const lines: unknown[] = [];
  const log = { ...createLogger('silent'), error: (...line: unknown[]) => lines.push(line) };
  const workers = new ManifestWorkers(DOOMED, { workersMax: 1, ...limits });
  onTestFinished(() => workers.close());
  return { reader: new ManifestReader(log as unknown as Logger, workers), lines };
}

it('reads every store as the addon does in this process', async () => {
  const [ours, theirs] = [new ManifestReader(undefined), new native.ManifestValidator(anchors)];
  const validator = ours.validator(anchors);
  const stores = SIDECARS.map(bytesOf);
  // Fewer at a time than may wait.
  for (let at = 0; at < stores.length; at += 40) {
    const some = stores.slice(at, at + 40);
    const reports = await Promise.all(some.map((bytes) => validator.validate(bytes)));
    const expected = await Promise.all(some.map((bytes) => theirs.validate(bytes)));
    expect(reports).toEqual(expected);
  }
  expect(await validator.details(good)).toBe(await theirs.details(good));
  expect(await ours.describe(good)).toBe(await native.describeManifest(good));
  expect(await ours.label(good)).toBe(sidecar('ok-es256-iscc4').expect.manifestId);
  expect(await ours.label(good.subarray(1))).toBe(null);
  const list = {
    algorithmList: readFileSync(path.join(path.dirname(TRUST_ANCHORS), '../alg-list.json'), 'utf8'),
  };
  expect(await ours.validator([], list).validate(good)).toMatchObject({
    outcome: 'accepted',
    trusted: false,
  });
  expect(() => ours.validator(anchorLists('not PEM'))).toThrow();
});

it.each(['CRASH', 'THROW', 'GROWS'])(
  'a store that ends its reader (%s) is refused, those beside it are not',
  async (text) => {
    const { reader, lines } = doomed();
    const validator = reader.validator(anchors);
    const bad = Buffer.from(text);
    const [first, refused, second, described, detailed, label] = await Promise.all([
      validator.validate(good),
      validator.validate(bad),
      validator.validate(good),
      reader.describe(bad),
      validator.details(bad),
      reader.label(bad),
    ]);
    expect([first, second]).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
    expect(refused).toMatchObject({ outcome: 'refused', code: 'manifest.crashesReader' });
    expect([described, detailed, label]).toEqual([null, null, null]);
    const sha256 = createHash('sha256').update(bad).digest('hex');
    const line = [{ err: expect.any(Error), sha256, size: 5 }, 'a manifest ended the process that read it'];
    expect(lines).toEqual([line, line, line, line]);
  },
);

it('a store that takes too long is given up, and the next one is read', async () => {
  const { reader } = doomed({ jobDurationMaxMs: 2000 });
  const validator = reader.validator(anchors);
  await validator.validate(good);
  await expect(validator.validate(Buffer.from('HANGS'))).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await validator.validate(good)).toMatchObject({ outcome: 'accepted' });
});

it('refuses work beyond what may wait', async () => {
  const { reader } = doomed();
  const validator = reader.validator(anchors);
  const all = await Promise.allSettled(Array.from({ length: 70 }, () => validator.validate(good)));
  const busy = all.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code);
  expect(busy).toEqual(Array(6).fill('BUSY'));
});

it.skipIf(process.platform !== 'linux')(
  'uploads succeed although the readers are killed meanwhile',
  async () => {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'isccd-readers-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const store = await startStore({ dataDir, url: undefined });
    onTestFinished(() => store.stop());
    const items = acceptedSidecars();
    // The readers have started.
    expect((await store.upload(bytesOf(items[0] ?? sidecar('ok-ed25519')))).status).toBe(200);
    const uploads = items.map((item) => store.upload(bytesOf(item)));
    for (const reader of readers()) process.kill(reader, 'SIGKILL');
    const statuses = (await Promise.all(uploads)).map(({ status }) => status);
    expect(statuses).toEqual(items.map(() => 200));
  },
);

/** Process ids of the readers of this process. */
function readers(): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', `${process.pid}`], { encoding: 'utf8' });
  const found = stdout.split('\n').filter((line) => line.includes('manifest-worker.js'));
  expect(found.length).toBeGreaterThan(0);
  return found.map((line) => Number.parseInt(line, 10));
}
