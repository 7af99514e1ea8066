/** `isccd reindex`: all indexes of a folder into OpenSearch and back. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { InProcessSearch } from '../../src/services/search/in-process.js';
import { rows } from '../search/support/search-server.js';
import { isccd } from '../support/command.js';
import { type OpenSearchCluster, openSearchIfPossible } from '../support/opensearch.js';

const cluster = await openSearchIfPossible();
afterAll(() => cluster?.stop());

test.skipIf(cluster === undefined)(
  'brings all indexes to OpenSearch and back without a difference',
  async () => {
    const { location } = cluster as OpenSearchCluster;
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-reindex-'));
    const run = async (...args: string[]) => isccd(args, { cwd: folder });
    const exported = async (at: string) => {
      const search = await InProcessSearch.open(at);
      try {
        return (await search.assetLines('main', undefined, 10_000)).lines.toString();
      } finally {
        await search.close();
      }
    };
    try {
      const source = await InProcessSearch.open(`usearch://${path.join(folder, 'source')}`);
      await source.createIndex('main');
      await source.addAssets('main', (await rows<Entry>('assets.jsonl')).slice(0, 300));
      await source.close();
      const uri = location();
      const there = await run('reindex', '--from', path.join(folder, 'source'), '--to', uri);
      expect([there.code, there.stderr]).toEqual([0, expect.any(String)]);
      expect(JSON.parse(there.stdout)).toMatchObject({ index: 'main', differences: 0 });
      const back = await run('reindex', '--from', uri, '--to', path.join(folder, 'back'));
      expect([back.code, JSON.parse(back.stdout)]).toMatchObject([0, { index: 'main', differences: 0 }]);
      expect(await exported(`usearch://${path.join(folder, 'back')}`)).toBe(
        await exported(`usearch://${path.join(folder, 'source')}`),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  600_000,
);
