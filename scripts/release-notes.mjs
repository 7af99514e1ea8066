/** `node scripts/release-notes.mjs VERSION` prints the text of a release: its section of the changelog. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './lib.mjs';

/**
 * @param {string} changelog
 * @param {string} version
 * @returns {string} empty without a section of this version
 */
export function notesOf(changelog, version) {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version} - `)) ?? '';
  return section.slice(section.indexOf('\n') + 1).trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(notesOf(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), process.argv[2] ?? ''));
