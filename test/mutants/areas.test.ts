/** The areas of `npm run mutants`, and the survivors that are named as equivalent. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AREAS } from '../../scripts/mutants-areas.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const accepted = JSON.parse(read('test/mutants/accepted.json')) as {
  readonly file: string;
  readonly reason: string;
  readonly mutants: readonly string[];
}[];

describe('areas', () => {
  test('have sources and tests that exist', () => {
    const files = AREAS.flatMap(({ tool, sources, tests }) => [
      ...sources.map((source) => source.replace(/\/?\*.*$/, '')),
      ...(tool === 'stryker' ? tests : []),
    ]);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  test('have tests that run the sources in their own process', () => {
    const files = AREAS.filter(({ tool }) => tool === 'stryker').flatMap(({ tests }) => tests);
    expect(files.filter((file) => /support\/(process|serve)\.js'/.test(read(file)))).toEqual([]);
  });
});

/** The source before the change, or the function with the change. */
function sourceOf(file: string, mutant: string): string {
  if (file.endsWith('.rs')) return / in (?:.*::)?(\w+)/.exec(mutant)?.[1] ?? mutant;
  return mutant.replace(/⟦(.*) → .*⟧/, '$1');
}

test('equivalent mutants are changes of code that exists', () => {
  expect(accepted.length).toBeGreaterThan(0);
  for (const { file, reason, mutants } of accepted) {
    expect(reason).not.toBe('');
    const gone = mutants.filter((mutant) => !read(file).includes(sourceOf(file, mutant)));
    expect([file, gone]).toEqual([file, []]);
  }
});
