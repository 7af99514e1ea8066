/**
 * Changes the version of the crate `c2pa`, which validates manifests, to the newest one that is published. Prints that version,
 * or nothing if it is in use already. The lock file is updated for this crate and what it needs.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './lib.mjs';

/** Files that name the version, and how. */
const NAMED = [
  ['Cargo.toml', /^(c2pa = \{ version = "=)([\d.]+)/m],
  ['src/services/store/manifests/rules.ts', /^(export const VALIDATOR_VERSION = ')([\d.]+)/m],
];

/** The newest version in what `cargo info` prints: `version: 0.92.0 (latest 0.93.1)`, or without a newer one. */
export function newestIn(info) {
  const [, own, latest = own] = /^version: (\S+)(?: \(latest (\S+)\)| \(from .*\))?$/m.exec(info) ?? [];
  if (latest === undefined) throw new Error('cargo info does not name the newest version of c2pa');
  return latest;
}

/** The text with another version, and the version that it had. */
export function replaced(text, pattern, version) {
  const earlier = pattern.exec(text)?.[2];
  if (earlier === undefined) throw new Error(`no text fits ${pattern}`);
  return { earlier, text: text.replace(pattern, `$1${version}`) };
}

function update() {
  const cargo = (...args) => execFileSync('cargo', args, { cwd: root, encoding: 'utf8' });
  const newest = newestIn(cargo('info', '--quiet', 'c2pa'));
  const changed = NAMED.map(([name, pattern]) => {
    const file = path.join(root, name);
    const { earlier, text } = replaced(readFileSync(file, 'utf8'), pattern, newest);
    writeFileSync(file, text);
    return earlier !== newest;
  });
  if (!changed.includes(true)) return;
  cargo('update', '--quiet', '--package', 'c2pa');
  console.log(newest);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) update();
