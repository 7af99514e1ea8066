/** A service whose index is still being loaded listens, says so, and is not ready. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { servicePorts } from '../support/all-services.js';
import { isccd } from '../support/command.js';
import { serve } from '../support/serve.js';
import { randomAsset } from './support/random-assets.js';
import { post } from './support/search-server.js';

/** Holds the lock of LMDB's table of readers until its input ends. A process that opens the files waits for it. */
const HOLD = `import fcntl, sys
file = open(sys.argv[1], 'r+b')
fcntl.lockf(file, fcntl.LOCK_EX, 1, 0)
print('held', flush=True)
sys.stdin.read()`;

test.runIf(process.platform === 'linux')(
  'is ready only when all its indexes are loaded',
  async () => {
    const folder = await temporaryFolder();
    const indexes = path.join(folder, 'indexes');
    const env = { ...(await servicePorts()), INDEXSVC_INDEX_URI: `usearch://${indexes}` };
    const start = () => serve(['search'], { cwd: folder, env: { ...env, ISCCD_DATA_DIR: folder } });

    const first = await start();
    onTestFinished(() => first.kill());
    const asset = randomAsset(1);
    for (const name of ['slow', 'quick']) {
      expect((await post(`${first.urls.search}/indexes`, { name })).status).toBe(201);
      expect((await post(`${first.urls.search}/indexes/${name}/assets`, [asset])).status).toBe(201);
    }
    // A clean stop would destroy the locks in the file, and a process that waits does not make new ones.
    await first.kill();

    const holder = spawn('python3', ['-c', HOLD, path.join(indexes, 'slow', 'lock.mdb')]);
    onTestFinished(() => void holder.kill());
    await once(holder.stdout, 'data');

    const second = await start();
    onTestFinished(() => second.kill());
    const { search } = second.urls;
    const ready = async () => {
      const response = await fetch(`${search}/readyz`);
      return [response.status, await response.json()];
    };
    await expect.poll(async () => (await fetch(`${search}/indexes/quick`)).status).toBe(200);
    const loading = {
      status: 'not_ready',
      reason: 'index_not_initialized',
      loading: { slow: expect.any(Number) },
    };
    expect(await ready()).toEqual([503, loading]);
    expect((await fetch(`${search}/healthz`)).status).toBe(200);
    const refused = await post(`${search}/indexes/slow/assets`, [randomAsset(2)]);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    expect(await refused.text()).toContain("Index 'slow' is being loaded");
    const health = await isccd(['check', 'health', 'search'], { env });
    expect([health.code, health.stdout + health.stderr]).toEqual([
      1,
      expect.stringContaining('index_not_initialized'),
    ]);

    holder.stdin.end();
    await expect.poll(ready, { timeout: 20_000 }).toEqual([200, { status: 'ready' }]);
    const found = await post(`${search}/indexes/slow/search`, { units: asset.units });
    expect([found.status, await found.text()]).toEqual([200, expect.stringContaining(asset.iscc_id ?? '')]);
  },
  60_000,
);
