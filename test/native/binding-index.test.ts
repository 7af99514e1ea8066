/** The index of soft bindings as JavaScript sees it. */
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

describe('the binding index', () => {
  it.each(store)('answers recorded queries (store %#)', async ({ manifests, queries }) => {
    const index = new native.BindingIndex();
    await index.insertBatch(entries(manifests));
    expect(index.size).toBe(manifests.length);
    for (const { alg, value, maxResults, threshold, matches } of queries) {
      const answer = await index.query(alg, Buffer.from(value, 'base64'), threshold, maxResults);
      if (answer.outcome !== 'matches') throw new Error(answer.outcome);
      const found = Array.from(answer.keys, (key, at) => ({
        manifestId: manifests[key]?.manifestId,
        similarityScore: answer.scores[at],
      }));
      expect(found.slice(0, maxResults)).toEqual(matches);
    }
  });

  it('takes changes in the order of the calls', async () => {
    const index = new native.BindingIndex({ threads: 1 });
    const removed = [];
    for (let round = 0; round < 50; round += 1) {
      void index.insertBatch([marked(1, 'a')]);
      removed.push(index.remove(1));
    }
    expect(await Promise.all(removed)).toEqual(Array(50).fill(true));
    expect(await index.remove(1)).toBe(false);
    expect(index.size).toBe(0);
  });

  it('gives more than asked for only where all is equal', async () => {
    const index = new native.BindingIndex();
    await index.insertBatch([
      marked(1, 'a', 7, false),
      marked(2, 'a', 9),
      marked(3, 'a', 8),
      marked(4, 'a', 8),
      marked(5, 'b', 1),
    ]);
    const ask = async (maxResults: number) => {
      const answer = await index.query(MARK, Buffer.from('a'), 75, maxResults);
      return answer.outcome === 'matches' ? Array.from(answer.keys) : answer.outcome;
    };
    expect(await ask(1)).toEqual([3, 4]);
    expect(await ask(3)).toEqual([3, 4, 2]);
    expect(await ask(10)).toEqual([3, 4, 2, 1]);
  });

  it('words what cannot be searched with', async () => {
    const index = new native.BindingIndex();
    const ask = (bytes: Uint8Array) => index.query('io.iscc.v0', bytes, 75, 10);
    expect(await ask(Buffer.from([1]))).toEqual({
      outcome: 'refused',
      detail: expect.stringMatching(/^Value is not a valid ISCC-SEQ: ./),
    });
    expect(await ask(Buffer.concat([Buffer.from([0, 7]), Buffer.alloc(32)]))).toEqual({
      outcome: 'refused',
      detail: 'Value holds no searchable ISCC-UNIT',
    });
  });

  it('names a key that is no integer', () => {
    const index = new native.BindingIndex();
    expect(() => index.insertBatch([marked(1.5, 'a')])).toThrow('key must be an integer');
    expect(() => index.remove(-1)).toThrow('key must be an integer');
  });

  it('lets only so many queries wait', async () => {
    const index = new native.BindingIndex({ threads: 1, waitingMax: 1 });
    const answers = await Promise.all([1, 2].map(() => index.query(MARK, Buffer.from('a'), 75, 10)));
    expect(answers.map(({ outcome }) => outcome)).toContain('busy');
  });
});
