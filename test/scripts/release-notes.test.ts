/** The text of a release. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { notesOf } from '../../scripts/release-notes.mjs';
import { ROOT } from '../deploy/support/dockerfile.js';

it('is the section of its version in the changelog', () => {
  const changelog = [
    '# Changelog\n\n## Unreleased\n\n- c\n',
    '## 1.1.0 - 2027-01-02\n\n### Added\n\n- b\n',
    '## 1.0.0 - 2027-01-01\n\n- a\n',
  ].join('\n');
  expect(notesOf(changelog, '1.1.0')).toBe('### Added\n\n- b');
  expect(notesOf(changelog, '1.0.0')).toBe('- a');
  expect(notesOf(changelog, '0.9.0')).toBe('');
});

it('fits one sitting', () => {
  const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
  const [, ...sections] = changelog.split(/^## /m);
  for (const section of sections) expect(section.split('\n').length).toBeLessThan(80);
});
