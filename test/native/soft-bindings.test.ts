/** The index of soft bindings through the addon. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ManifestBindings, native } from '../../src/native.js';

interface Stored {
  readonly manifestId: string;
  readonly uploadedAt: number;
  readonly trusted: boolean;
  readonly blocks: readonly { alg: string; value: string }[];
}

interface Query {
  readonly alg: string;
  readonly value: string;
  readonly maxResults: number;
  readonly threshold: number;
  readonly matches: readonly { manifestId: string; similarityScore: number }[];
}

const { store } = JSON.parse(
  readFileSync(new URL('../fixtures/c2pa/vectors/scoring.json', import.meta.url), 'utf8'),
) as { store: { manifests: Stored[]; queries: Query[] }[] };

const entries = (manifests: readonly Stored[]): ManifestBindings[] =>
  manifests.map(({ uploadedAt, trusted, blocks }, key) => ({
    key,
    uploadedAt,
    trusted,
    bindings: blocks.map(({ alg, value }) => ({ alg, value: Buffer.from(value, 'base64') })),
  }));

const MARK = 'com.adobe.trustmark.P';
const marked = (key: number, text: string, uploadedAt = 0, trusted = true): ManifestBindings => ({
  key,
  uploadedAt,
  trusted,
  bindings: [{ alg: MARK, value: Buffer.from(text) }],
});

describe('BindingIndex', () => {
  it.each(store)('returns the recorded matches (store %#)', async ({ manifests, queries }) => {
    const index = new native.BindingIndex();
    await index.insertBatch(entries(manifests));
    expect(index.size).toBe(manifests.length);
    for (const { alg, value, maxResults, threshold, matches } of queries) {
      const { keys, scores } = await index.query(alg, Buffer.from(value, 'base64'), threshold, maxResults);
      const found = Array.from(keys, (key, at) => ({
        manifestId: manifests[key]?.manifestId,
        similarityScore: scores[at],
      }));
      expect(found.slice(0, maxResults)).toEqual(matches);
    }
  });

  it('applies changes in the order of the calls', async () => {
    const index = new native.BindingIndex();
    const removed = [];
    for (let round = 0; round < 50; round += 1) {
      void index.insertBatch([marked(1, 'a')]);
      removed.push(index.remove(1));
    }
    expect(await Promise.all(removed)).toEqual(Array(50).fill(true));
    expect(await index.remove(1)).toBe(false);
    expect(index.size).toBe(0);
  });

  it('exceeds maxResults only by matches that are equal', async () => {
    const index = new native.BindingIndex();
    await index.insertBatch([
      marked(1, 'a', 7, false),
      marked(2, 'a', 9),
      marked(3, 'a', 8),
      marked(4, 'a', 8),
      marked(5, 'b', 1),
    ]);
    const keysOf = async (maxResults: number) =>
      Array.from((await index.query(MARK, Buffer.from('a'), 75, maxResults)).keys);
    expect(await keysOf(1)).toEqual([3, 4]);
    expect(await keysOf(3)).toEqual([3, 4, 2]);
    expect(await keysOf(10)).toEqual([3, 4, 2, 1]);
  });

  it('rejects values that cannot be searched with INVALID_ARGUMENT', async () => {
    const index = new native.BindingIndex();
    const query = (bytes: Uint8Array) => index.query('io.iscc.v0', bytes, 75, 10);
    await expect(query(Buffer.from([1]))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^Value is not a valid ISCC-SEQ: ./),
    });
    await expect(query(Buffer.concat([Buffer.from([0, 7]), Buffer.alloc(32)]))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'Value holds no searchable ISCC-UNIT',
    });
  });

  it('rejects a key that is not an integer', () => {
    const index = new native.BindingIndex();
    expect(() => index.insertBatch([marked(1.5, 'a')])).toThrow('key must be an integer');
    expect(() => index.remove(-1)).toThrow('key must be an integer');
  });

  it('rejects with BUSY when too many queries are waiting', async () => {
    const index = new native.BindingIndex({ waitingMax: 0 });
    await expect(index.query(MARK, Buffer.from('a'), 75, 10)).rejects.toMatchObject({ code: 'BUSY' });
  });
});
