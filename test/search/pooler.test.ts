/** Indexes in PostgreSQL behind PgBouncer: sessions are needed, so a pooler that shares them is refused. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acceptedSidecars, bytesOf, type Sidecar } from '../store/support/fixtures.js';
import { startStore } from '../store/support/server.js';
import { isccd } from '../support/command.js';
import { type Pooler, startPgbouncer } from '../support/pgbouncer.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { serve } from '../support/serve.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
}, INSTALL_MAX_MS);
afterAll(() => postgres.stop());

describe.each(['session', 'transaction'] as const)('in %s mode', (mode) => {
  let pooler: Pooler;
  let folder: string;
  beforeAll(async () => {
    pooler = await startPgbouncer(await postgres.createDatabase(), mode);
  }, INSTALL_MAX_MS);
  afterAll(() => pooler.stop());
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-pooler-'));
    return () => rm(folder, { recursive: true, force: true });
  });

  const environment = () => ({
    ISCCD_DATA_DIR: folder,
    ISCCD_METRICS_PORT: 'off',
    INDEXSVC_PORT: '0',
    INDEXSVC_INDEX_URI: pooler.url,
  });

  it('a start and the check of the configuration agree', async () => {
    const started = await serve(['search'], { env: environment() }).catch((error: Error) => error.message);
    if (typeof started !== 'string') await started.stop();
    const checked = await isccd(['check', 'config', 'search'], { cwd: folder, env: environment() });
    const refusal = /: a pooler shares its sessions between clients; use its session mode \(/;
    if (mode === 'session') {
      expect(started).toBeTypeOf('object');
      expect([checked.code, checked.stderr]).toEqual([0, '']);
    } else {
      expect(started).toMatch(refusal);
      expect([checked.code, checked.stderr]).toEqual([1, expect.stringMatching(refusal)]);
    }
  });

  it('a store without search works', async () => {
    const place = { url: pooler.url, dataDir: folder };
    const stores = [await startStore(place), await startStore(place)] as const;
    const [item] = acceptedSidecars();
    const id = item?.expect.manifestId ?? '';
    expect((await stores[0].upload(bytesOf(item as Sidecar))).status).toBe(200);
    expect((await stores[1].get(id)).status).toBe(200);
    for (const store of stores) await store.stop();
  });
});
