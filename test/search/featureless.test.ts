/** Searches that leave out featureless Image-Codes: by parameter and by configuration. */
import { expect, it, onTestFinished } from 'vitest';
import { encodeUnit } from '../../src/iscc/codec.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { among, BACKENDS } from './support/engines.js';
import { type Backend, indexUri } from './support/locations.js';
import { isccId } from './support/random-assets.js';
import { post, startSearch } from './support/search-server.js';

const CONTENT = 2;
const IMAGE = 1;
const DATA = 3;
const SEGMENT_BYTES = 8;

/** An Image-Code whose 64-bit segments have these numbers of ones. */
function image(...ones: readonly number[]): string {
  const body = Buffer.alloc(SEGMENT_BYTES * ones.length);
  for (const [at, count] of ones.entries())
    body.writeBigUInt64BE((1n << BigInt(count)) - 1n, SEGMENT_BYTES * at);
  return encodeUnit(CONTENT, IMAGE, 0, 8 * body.length, body);
}

const PLAIN = image(1, 1, 1, 1);
const NEARLY_PLAIN = image(7, 9, 9, 9);
const FEATURED = image(9, 9, 9, 9);
const data = encodeUnit(DATA, 0, 0, 256, Buffer.alloc(32, 0x5a));

async function filled(backend: Backend, environment: Record<string, string> = {}): Promise<string> {
  const folder = await temporaryFolder();
  const server = await startSearch(folder, { INDEXSVC_INDEX_URI: indexUri(backend, folder), ...environment });
  onTestFinished(() => server.stop());
  await post(`${server.url}/indexes`, { name: 'all' });
  const entries = [[PLAIN, data], [PLAIN], [NEARLY_PLAIN], [FEATURED], [data]].map((units, at) => ({
    iscc_id: isccId(at),
    // A list of units has at least two.
    ...(units.length > 1 ? { units } : { iscc_code: units[0] }),
  }));
  const added = await post(`${server.url}/indexes/all/assets`, entries);
  expect(added.status).toBe(201);
  return `${server.url}/indexes/all/search`;
}

async function found(url: string, units: readonly string[]): Promise<Record<string, number>[]> {
  const response = await post(url, { units });
  expect(response.status).toBe(200);
  const { global_matches: matches } = (await response.json()) as {
    global_matches: { iscc_id: string; types: Record<string, number> }[];
  };
  const order = [0, 1, 2, 3, 4].map(isccId);
  return matches
    .sort((a, b) => order.indexOf(a.iscc_id) - order.indexOf(b.iscc_id))
    .map(({ iscc_id, types }) => ({ asset: order.indexOf(iscc_id), ...types }));
}

const IMAGE_TYPE = 'CONTENT_IMAGE_V0';
const DATA_TYPE = 'DATA_NONE_V0';

it.each(BACKENDS)('%s leaves them out of queries on request', async (backend) => {
  const url = await filled(backend);
  expect((await found(url, [PLAIN, data])).map(({ asset }) => asset)).toEqual(
    expect.arrayContaining([0, 1, 4]),
  );
  const skipped = await found(`${url}?skip_featureless=true&limit=10`, [PLAIN, data]);
  expect(skipped).toEqual([
    { asset: 0, [DATA_TYPE]: 1 },
    { asset: 4, [DATA_TYPE]: 1 },
  ]);
  expect(await found(`${url}?skip_featureless=true`, [PLAIN])).toEqual([]);
});

it.each(among('memory', 'usearch', 'opensearch'))(
  '%s leaves stored ones out of the matches of similar codes',
  async (backend) => {
    const url = await filled(backend);
    const all = await found(url, [FEATURED]);
    expect(all.map(({ asset }) => asset)).toEqual([0, 1, 2, 3]);
    expect(await found(`${url}?skip_featureless=true`, [FEATURED])).toEqual([{ asset: 3, [IMAGE_TYPE]: 1 }]);
  },
);

it('is the default if configured, and the parameter overrides it', async () => {
  const url = await filled('usearch', { INDEXSVC_SKIP_FEATURELESS: 'true' });
  expect(await found(url, [PLAIN])).toEqual([]);
  expect((await found(`${url}?skip_featureless=false`, [PLAIN])).length).toBeGreaterThan(1);
  const byCode = await fetch(`${url}?iscc_code=${PLAIN}&skip_featureless=false`);
  expect(((await byCode.json()) as { global_matches: unknown[] }).global_matches.length).toBeGreaterThan(1);
  const byCodeSkipped = await fetch(`${url}?iscc_code=${PLAIN}`);
  expect(await byCodeSkipped.json()).toMatchObject({ global_matches: [] });
});

it('refuses other values', async () => {
  const url = await filled('memory');
  expect((await post(`${url}?skip_featureless=maybe`, { units: [PLAIN] })).status).toBe(422);
});
