/** Queries against recorded scores: filter, order and limit, on both databases. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeLenientBase64 } from '../../src/c2pa/binding-query.js';
import { native } from '../../src/native.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { SyncedBindingIndex } from '../../src/services/store/bindings/binding-index.js';
import { NO_DECLARER } from '../../src/services/store/declarer.js';
import { Manifests } from '../../src/services/store/manifests/manifests.js';
import { StoreService } from '../../src/services/store/service.js';
import { FolderContentBlobs } from '../../src/storage/blobs/content.js';
import { openDatabase } from '../../src/storage/database/open.js';
import type { Db } from '../../src/storage/database/tables.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { acceptedReport, vectors } from './support/fixtures.js';

interface Recorded {
  readonly manifests: readonly {
    manifestId: string;
    uploadedAt: number;
    trusted: boolean;
    blocks: readonly { alg: string; value: string }[];
  }[];
  readonly queries: readonly {
    alg: string;
    value: string;
    maxResults: number;
    threshold: number;
    matches: readonly { manifestId: string; similarityScore: number }[];
  }[];
}

const { store: recorded } = vectors<{ store: Recorded[] }>('scoring');

const bytes = (base64: string) => decodeLenientBase64(base64) ?? Buffer.of();

async function insert(db: Db, { manifests }: Recorded): Promise<void> {
  const rows = new Manifests(db);
  for (const [n, { manifestId, uploadedAt, trusted, blocks }] of manifests.entries()) {
    const bindings = blocks.map(({ alg, value }) => ({ alg, value: bytes(value), units: [] }));
    const about = { manifestId, manifestUrl: `https://store.example/${n}`, uploadedAt, bindings };
    const sha256 = n.toString(16).padStart(64, '0');
    const declaration = NO_DECLARER.initial(about, false);
    const report = acceptedReport(manifestId, trusted, bindings);
    await rows.insert(
      { manifestId, sha256, size: 1, uploadedAt, uploader: '', report, declaration },
      async () => true,
    );
  }
}

describe.each(ENGINES)('%s', (engine) => {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases.stop());

  it.each(recorded.map((set, at) => [at, set] as const))('set %i', async (_, set) => {
    const { url, dataDir } = await databases.create();
    const { db, close } = await openDatabase(url, dataDir);
    const log = createLogger('silent');
    const loading = { db, newIndex: () => new native.BindingIndex(), log };
    const index = await SyncedBindingIndex.load(loading);
    // Stored after the index was loaded, so found through the feed.
    await insert(db, set);
    const reloaded = await SyncedBindingIndex.load(loading);
    const parts = {
      manifests: new Manifests(db),
      blobs: await FolderContentBlobs.open(dataDir, '.c2pa'),
      validator: new native.ManifestValidator([]),
      declarer: NO_DECLARER,
      listedAlgorithms: () => new Set(native.softBindingAlgorithms().map(({ alg }) => alg)),
      isManifestId: native.isManifestId,
      digest: native.sha256,
      log,
    };
    for (const { alg, value, maxResults, threshold, matches } of set.queries) {
      const options = { url: '', secretKey: '', declareDefault: false, matchThreshold: threshold };
      for (const live of [index, reloaded]) {
        const service = new StoreService(options, { ...parts, index: live });
        expect(await service.query(alg, () => bytes(value), maxResults)).toEqual(matches);
      }
    }
    await close();
  });
});
