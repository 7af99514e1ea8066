/** What every set-up script needs: run a command, hash a tree, remember what was built. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const stamps = path.join(root, '.setup');

/** Runs a command in the project's root; ends this process with its status if it fails. */
export function run(command, args, options = {}) {
  const result = attempt(command, args, { stdio: 'inherit', ...options });
  if (result.status === 0) return;
  if (result.error) console.error(`isccd: cannot run ${command}: ${result.error.message}`);
  else console.error(`isccd: ${command} ${args.join(' ')} failed (${result.status ?? result.signal})`);
  process.exit(result.status || 1);
}

/** Runs a command and gives its result, whatever that is. */
export function attempt(command, args, options = {}) {
  return spawnSync(command, args, {
    cwd: root,
    shell: process.platform === 'win32',
    encoding: 'utf8',
    ...options,
  });
}

/** Whether an executable of this name is on the PATH. */
export function onPath(name) {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => names.some((file) => exists(path.join(folder, file))));
}

export function exists(file) {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** A digest over the contents of files and folders (relative to the root); what is missing counts as such. */
export function digest(entries, skip = () => false) {
  const hash = createHash('sha256');
  for (const entry of entries) addToHash(hash, entry, skip);
  return hash.digest('hex');
}

function addToHash(hash, entry, skip) {
  const full = path.join(root, entry);
  const stat = statSync(full, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    for (const name of readdirSync(full).sort()) {
      const inner = `${entry}/${name}`;
      if (!skip(inner)) addToHash(hash, inner, skip);
    }
  } else {
    hash.update(`${entry}\0`);
    if (stat) hash.update(readFileSync(full));
    hash.update('\0');
  }
}

/** Does `work` unless it was done for this very `key`; a failure forgets what was done before. */
export function once(name, key, work) {
  const stamp = path.join(stamps, name);
  if (exists(stamp) && readFileSync(stamp, 'utf8') === key) return;
  rmSync(stamp, { force: true });
  work();
  mkdirSync(stamps, { recursive: true });
  writeFileSync(stamp, key);
}

/** Makes the next {@link once} of this name do its work: what it made is gone. */
export function forget(name) {
  rmSync(path.join(stamps, name), { force: true });
}
