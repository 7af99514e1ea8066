/** Imports from files and from a source that withdraws entries and reports positions. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { EntryFiles } from '../../src/cli/input/entries.js';
import { native } from '../../src/native.js';
import { type ImportStep, importFrom } from '../../src/services/search/import.js';
import { InProcessSearch } from '../../src/services/search/in-process.js';

let folder: string;
let search: InProcessSearch;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-import-'));
  search = await InProcessSearch.open(`usearch://${path.join(folder, 'index')}`);
  return async () => {
    await search.close();
    await rm(folder, { recursive: true, force: true });
  };
});

function entry(number: number) {
  const unit = (main: number) => native.encodeUnit(main, 0, 0, 256, Buffer.alloc(32, number));
  return { iscc_id: native.isccId(0, 1_700_000_000_000_000 + number, 1), units: [unit(3), unit(4)] };
}

describe('importFrom', () => {
  it('imports files', async () => {
    await search.createIndex('files');
    const lines = Array.from({ length: 2500 }, (_, number) => JSON.stringify(entry(number)));
    const [one, two] = [path.join(folder, 'one.jsonl'), path.join(folder, 'two.json')];
    await writeFile(one, lines.join('\n'));
    await writeFile(two, JSON.stringify([entry(1), entry(3000)]));
    const sizes: number[] = [];
    const source = await EntryFiles.read([one, two]);
    const count = await importFrom(source, search, 'files', ({ entries }) => {
      sizes.push(entries.length);
    });
    expect(count).toEqual({ created: 2501, updated: 1, withdrawn: 0 });
    expect(sizes).toEqual([1000, 1000, 502]);
    expect((await search.getIndex('files')).assets).toBe(2501);
  });

  it('applies steps and withdrawals in order', async () => {
    await search.createIndex('followed');
    const positions: (string | undefined)[] = [];
    async function* steps(): AsyncGenerator<ImportStep> {
      yield { entries: [entry(1), entry(2)], position: '2' };
      yield { entries: [], withdrawn: [entry(1).iscc_id], position: '3' };
    }
    const count = await importFrom({ steps }, search, 'followed', async ({ position }) => {
      positions.push(position);
      expect((await search.getIndex('followed')).assets).toBe(position === '2' ? 2 : 1);
    });
    expect(count).toEqual({ created: 2, updated: 0, withdrawn: 1 });
    expect(positions).toEqual(['2', '3']);
  });
});
