/** What searches and assets are at the edges of their rules: names of assets, parts of metadata, and bounds. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../src/http/server.js';
import { native } from '../../src/native.js';
import { BACKENDS, engineOf } from './support/engines.js';
import { indexUri } from './support/locations.js';
import { post, startSearch } from './support/search-server.js';

const NAME = 'ISCC:MAICAJINXFXA2SQX';
/** The same of version 0. */
const OF_VERSION_0 = 'ISCC:MAACAJINXFXA2SQX';
/** The same with a length in the header that the body does not have. */
const OF_HUBS = 'ISCC:MAISAJINXFXA2SQX';
const CODE = 'ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI';
const METADATA = { name: 'A', thumbnail: 'x'.repeat(2000), source: 'https://example.org/a', n: 1.5 };
const BYTES_MAX = 20_000;
const FLOOR = 0.5;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-edges-'));
  return () => rm(folder, { recursive: true, force: true });
});

describe.each(BACKENDS)('%s', (backend) => {
  let server: RunningServer;
  beforeAll(async () => {
    const place = path.join(folder, backend);
    server = await startSearch(place, {
      INDEXSVC_INDEX_URI: indexUri(backend, place),
      INDEXSVC_SEARCH_BYTES_MAX: String(BYTES_MAX),
      INDEXSVC_THRESHOLD_FLOOR: String(FLOOR),
    });
    return () => server.stop();
  });
  const created = async (name: string, assets: readonly object[]) => {
    expect((await post(`${server.url}/indexes`, { name })).status).toBe(201);
    const url = `${server.url}/indexes/${name}`;
    if (assets.length > 0) expect((await post(`${url}/assets`, assets)).status).toBe(201);
    return url;
  };
  const answer = async (request: Promise<Response>) => {
    const response = await request;
    return { status: response.status, text: await response.text() };
  };
  const json = async (request: Promise<Response>) => JSON.parse((await answer(request)).text);

  test('an asset has one name, whichever version of its ISCC-ID is sent', async () => {
    const url = await created('versions', [{ iscc_id: OF_VERSION_0, iscc_code: CODE }]);
    const again = await json(post(`${url}/assets`, [{ iscc_id: NAME, iscc_code: CODE }]));
    expect(again).toEqual([{ iscc_id: NAME, status: 'updated' }]);
    const found = await json(post(`${url}/search`, { iscc_code: CODE }));
    const names = [
      (await json(fetch(`${url}/assets/${NAME}`))).iscc_id,
      (await json(fetch(`${url}/assets/${OF_VERSION_0}`))).iscc_id,
      ...(await json(fetch(`${url}/assets`))).map((asset: { iscc_id: string }) => asset.iscc_id),
      ...found.global_matches.map((match: { iscc_id: string }) => match.iscc_id),
    ];
    expect(names).toEqual([NAME, NAME, NAME, NAME]);
    expect((await fetch(`${url}/assets/${OF_VERSION_0}`, { method: 'DELETE' })).status).toBe(204);
    expect(await json(fetch(`${url}/assets`))).toEqual([]);
  });

  test('an ISCC-ID whose header says another length is refused with the right one', async () => {
    const url = await created('lengths', [{ iscc_id: NAME, iscc_code: CODE }]);
    const refused = [
      post(`${url}/assets`, [{ iscc_id: OF_HUBS, iscc_code: CODE }]),
      post(`${url}/search`, { iscc_id: OF_HUBS }),
      fetch(`${url}/assets/${OF_HUBS}`),
      fetch(`${url}/assets/${OF_HUBS}`, { method: 'DELETE' }),
    ];
    for (const request of refused)
      expect(await answer(request)).toEqual({ status: 400, text: expect.stringContaining(`send ${NAME}`) });
    expect(await json(fetch(`${url}/assets`))).toHaveLength(1);
  });

  test('metadata and fields choose the metadata of a search, of each of a batch, and of an asset', async () => {
    const url = await created('fields', [{ iscc_id: NAME, iscc_code: CODE, metadata: METADATA }]);
    const { name, thumbnail, ...others } = METADATA;
    for (const [parameters, expected] of [
      ['', METADATA],
      ['metadata=true', METADATA],
      ['metadata=false', null],
      ['metadata=false&fields=name', null],
      ['fields=name', { name }],
      ['fields=n,%20name', { name, n: 1.5 }],
      ['fields=missing', {}],
      ['fields=-thumbnail', { name, ...others }],
      ['fields=name,-name', {}],
    ] as const) {
      const query = { iscc_code: CODE };
      const posted = await json(post(`${url}/search?${parameters}`, query));
      const got = await json(fetch(`${url}/search?iscc_code=${CODE}&${parameters}`));
      const [batched] = await json(post(`${url}/searches?${parameters}`, [query]));
      for (const result of [posted, got, batched])
        expect(result.global_matches[0].metadata, parameters).toEqual(expected);
      const asset = await json(fetch(`${url}/assets/${NAME}?${parameters}`));
      expect(asset.metadata ?? null, parameters).toEqual(expected);
    }
    expect((await fetch(`${url}/assets/${NAME}?field=name`)).status).toBe(422);
  });

  test('a response that is too large is refused with what to leave out', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => native.isccId(0, 1_700_000_000_000_000 + at, 1));
    const assets = ids.map((iscc_id) => ({ iscc_id, iscc_code: CODE, metadata: METADATA }));
    const url = await created('large', assets);
    const refused = {
      status: 400,
      text: expect.stringMatching(/20000 bytes.*metadata=false.*fields.*limit/),
    };
    expect(await answer(post(`${url}/search`, { iscc_code: CODE }))).toEqual(refused);
    const [one] = await json(post(`${url}/searches`, [{ iscc_code: CODE }]));
    expect(one).toEqual({ status: 400, detail: refused.text });
    for (const parameters of ['metadata=false', 'fields=name', 'fields=-thumbnail', 'limit=3'])
      expect((await post(`${url}/search?${parameters}`, { iscc_code: CODE })).status).toBe(200);
  });

  test('metadata that are nested too deep are refused', async () => {
    const url = await created('deep', []);
    const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);
    const add = (metadata: object) => post(`${url}/assets`, [{ iscc_id: NAME, iscc_code: CODE, metadata }]);
    expect(await answer(add(nested(61)))).toEqual({
      status: 422,
      text: expect.stringContaining('nested at most 60 levels deep'),
    });
    expect((await add(nested(60))).status).toBe(201);
  });

  test.skipIf(engineOf(backend) !== 'usearch')(
    'a threshold may be looser than the configured one, down to the floor of the operator',
    async () => {
      const unit = (ones: number) => {
        const digest = Buffer.alloc(32);
        for (let bit = 0; bit < ones; bit += 1)
          digest[bit >> 3] = (digest[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
        return `ISCC:${native.encodeUnit(2, 1, 0, 256, digest).replace('ISCC:', '')}`;
      };
      // 0.6 of the bits are equal.
      const units = [unit(102), 'ISCC:IAATLBPYL7B7XTAN'];
      const url = await created('floor', [{ iscc_id: NAME, units }]);
      const found = async (threshold: string) => {
        const result = await json(post(`${url}/search?${threshold}`, { units: [unit(0)] }));
        return result.global_matches?.length;
      };
      expect(await found('')).toBe(0);
      expect(await found('threshold=0.65')).toBe(0);
      expect(await found('threshold=0.6')).toBe(1);
      expect(await found(`threshold=${FLOOR}`)).toBe(1);
      for (const name of ['threshold', 'threshold_simprints'])
        expect(await answer(post(`${url}/search?${name}=0.49`, { units: [unit(0)] }))).toEqual({
          status: 400,
          text: expect.stringContaining(`${name}: must be at least 0.5`),
        });
    },
  );
});
