/** The table of limits of nesting and repetition names every constant of this kind, with its value. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/page.js';

const CRATES = path.join(ROOT, 'crates');

/** Constants that limit no input, or a file that only this program writes. */
const OTHERS: Readonly<Record<string, string>> = {
  'iscc-index/src/lmdb_file/check.rs DEPTH_MAX': 'databases in databases of our own files',
  'iscc-index/src/lmdb_file/rows.rs LEVELS_MAX': 'the height of trees in our own files',
  'iscc-search/src/log_index/proofs.rs LEVEL_MAX': 'levels of proofs that are kept in memory',
  'iscc-text/src/document/docx/numbering.rs LEVELS_MAX': 'levels of lists that Word has',
};

interface Limit {
  readonly place: string;
  readonly value: number;
}

const table: readonly Limit[] = readFileSync(path.join(ROOT, 'docs/reference/limits.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, value, file, name] = /\| (\d+) \| `(\S+)` `(\S+)` \|/.exec(line) ?? [];
    return value === undefined ? [] : [{ place: `${file} ${name}`, value: Number(value) }];
  });

/** The number that a constant has: digits with `_`, and products or shifts of two. */
function numberOf(text: string): number {
  const plain = text.replaceAll('_', '');
  const [, left = '', operator, right = ''] = /^([\d.]+)(?: (<<|\*) (\d+))?$/.exec(plain) ?? [];
  if (operator === '<<') return Number(left) * 2 ** Number(right);
  return operator === '*' ? Number(left) * Number(right) : Number(left);
}

const constants: readonly Limit[] = readdirSync(CRATES, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll(path.sep, '/'))
  .filter((file) => /^[^/]+\/src\/.*\.rs$/.test(file))
  .flatMap((file) => {
    const source = readFileSync(path.join(CRATES, file), 'utf8');
    const found = source.matchAll(/\bconst (\w+): (?:usize|u8|u32|u64|f64) = ([^;]+);/g);
    return [...found].map(([, name, value = '']) => ({ place: `${file} ${name}`, value: numberOf(value) }));
  });

describe('the table of limits', () => {
  it('has the values of the sources', () => {
    expect(table.length).toBeGreaterThan(20);
    const known = new Map(constants.map(({ place, value }) => [place, value]));
    expect(table.map(({ place }) => [place, known.get(place)])).toEqual(
      table.map(({ place, value }) => [place, value]),
    );
  });

  it('names each limit of depth in the sources', () => {
    const named = new Set([...table.map(({ place }) => place), ...Object.keys(OTHERS)]);
    const deep = constants.filter(({ place }) => /(DEPTH|LEVELS?|NESTING|TAGS)_MAX$/.test(place));
    expect(deep.filter(({ place }) => !named.has(place))).toEqual([]);
    const existing = new Set(constants.map(({ place }) => place));
    expect(Object.keys(OTHERS).filter((place) => !existing.has(place))).toEqual([]);
  });
});
