/**
 * Families of modules in our crates: a top-level module with all modules inside it. Families import each other in one
 * direction only, so that each can be read, and moved into a crate of its own, without those above it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesOf } from '../support/circles.js';
import { bare } from '../support/rust-source.js';

const CRATES = path.resolve(import.meta.dirname, '../../crates');
/** A module of tests inside a file, which is at its end. */
const TESTS = /#\[cfg\((?:test|all\(test\b[^\]]*)\)\]\n(?:#\[.*\]\n)*mod \w+ \{/;

/** What each family of a crate imports from others. */
function familiesOf(crate: string): Map<string, string[]> {
  const source = path.join(CRATES, crate, 'src');
  const graph = new Map<string, string[]>();
  const files = readdirSync(source, { encoding: 'utf8', recursive: true }).filter((file) =>
    file.endsWith('.rs'),
  );
  for (const file of files.filter((file) => !/(^|\/)(lib|main|tests)\.rs$|(^|\/)tests\//.test(file))) {
    const family = file.split('/')[0]?.replace(/\.rs$/, '') ?? '';
    const [code = ''] = bare(readFileSync(path.join(source, file), 'utf8')).split(TESTS);
    // In a top-level module, `super` is the crate, too.
    const root = file.includes('/') ? 'crate' : '(?:crate|super)';
    const one = code.matchAll(new RegExp(`\\b${root}::(\\w+)`, 'g'));
    const several = code.matchAll(new RegExp(`\\b${root}::\\{([^;]*)\\};`, 'g'));
    const inBraces = [...several].flatMap(([, list = '']) =>
      [...list.matchAll(/\w+/g)].map(([name]) => name),
    );
    const targets = [...[...one].map(([, name = '']) => name), ...inBraces];
    graph.set(family, [...(graph.get(family) ?? []), ...targets.filter((target) => target !== family)]);
  }
  // Other names are those of items that the crate's root re-exports.
  return new Map(
    [...graph].map(([family, targets]) => [family, targets.filter((target) => graph.has(target))]),
  );
}

describe('families of modules', () => {
  it.each(readdirSync(CRATES))('of %s form no circle', (crate) => {
    expect(circlesOf(familiesOf(crate))).toEqual([]);
  });

  it('are read from the imports of their files', () => {
    const families = familiesOf('iscc-index');
    expect(families.get('snapshot')).toEqual(expect.arrayContaining(['segment', 'store']));
    expect(families.get('store')).not.toContain('snapshot');
  });
});
