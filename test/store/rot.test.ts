/** A stored file that has changed on the disk is never served, and the right bytes mend it. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TRANSPORTS } from '../support/transports.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { startStore } from './support/server.js';

const item = sidecar('ok-es256-iscc4');
const id = item.expect.manifestId ?? '';
const good = bytesOf(item);

it.each(TRANSPORTS)(
  'a manifest of which one bit has changed is 503 until it is uploaded again (%s)',
  async (transport) => {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'isccd-rot-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const store = await startStore({ dataDir, url: undefined }, {}, transport);
    onTestFinished(() => store.stop());
    expect((await store.upload(good)).status).toBe(200);
    const sha256 = createHash('sha256').update(good).digest('hex');
    const file = path.join(dataDir, 'files', sha256.slice(0, 2), `${sha256}.c2pa`);
    const damaged = async () =>
      /^isccd_store_damaged_manifests(\{.*\})? (\d+)$/m.exec(await store.metrics())?.[2];
    expect(await damaged()).toBe('0');

    const rotten = readFileSync(file);
    rotten[1000] = (rotten[1000] ?? 0) ^ 1;
    writeFileSync(file, rotten);
    for (const headers of [{}, { Accept: 'application/json' }, { Range: 'bytes=0-9' }]) {
      const response = await store.get(id, headers);
      expect([response.status, await response.json()]).toEqual([
        503,
        { detail: expect.stringContaining('is damaged; upload the same bytes again') },
      ]);
    }
    expect(await damaged()).toBe('1');

    expect((await store.upload(good)).status).toBe(200);
    expect(readFileSync(file).equals(good)).toBe(true);
    const served = await store.get(id);
    expect([served.status, served.headers.get('etag')]).toEqual([200, `"${sha256}"`]);
    expect(Buffer.from(await served.arrayBuffer()).equals(good)).toBe(true);
    expect(await damaged()).toBe('0');
    const part = await store.get(id, { Range: 'bytes=8-11' });
    expect([part.status, await part.text()]).toEqual([206, good.toString('latin1', 8, 12)]);
    const known = await store.get(id, { 'If-None-Match': `"${sha256}"` });
    expect(known.status).toBe(304);
  },
);
