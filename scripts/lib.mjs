/** Shared by the scripts: run a command, hash a tree, remember what was built. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const stamps = path.join(root, '.setup');

/**
 * Options of each cargo command that compiles. `c2pa` 0.92 declares Rust 1.96 but compiles with 1.95, the minimum of this
 * project; cargo has an option for this, but no setting.
 */
export const CARGO_OPTIONS = ['--locked', '--ignore-rust-version'];

/** Runs a command in the project's root. If it fails, exits with its status. */
export function run(command, args, options = {}) {
  const result = attempt(command, args, { stdio: 'inherit', ...options });
  if (result.status === 0) return;
  if (result.error) console.error(`isccd: cannot run ${command}: ${result.error.message}`);
  else console.error(`isccd: ${command} ${args.join(' ')} failed (${result.status ?? result.signal})`);
  process.exit(result.status || 1);
}

/** Path of an npm package's command; starts faster than npx. */
export function bin(name) {
  return path.join(root, 'node_modules', '.bin', name);
}

/**
 * Paths of the TypeScript compilers: the native one, which compiles and checks this project, and the last one with an
 * interface for programs, which `openapi-typescript` and some tests need. Both call their command `tsc`.
 */
export const TSC = path.join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
export const TSC_5 = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/** Compiles or checks TypeScript. If that fails, exits with its status. */
export function tsc(...args) {
  run(process.execPath, [TSC, ...args]);
}

/** Runs a command and returns its result, also after a failure. */
export function attempt(command, args, options = {}) {
  const settings = { cwd: root, encoding: 'utf8', ...options };
  if (process.platform !== 'win32') return spawnSync(command, args, settings);
  // The commands of npm packages are scripts, which only the shell of Windows runs.
  const [program, ...words] = [command, ...args].map(wordForCmd);
  return spawnSync(program, words, { ...settings, shell: true });
}

/** An argument as a word of a command line for `cmd`, which splits at spaces and gives meaning to other characters. */
export function wordForCmd(text) {
  return /^[\w./:\\@+-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
}

/** Whether the PATH has an executable of this name. */
export function onPath(name) {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((folder) => names.some((file) => exists(path.join(folder, file))));
}

/** Installs packages of Debian, if this user may. The caller looks for what it needs afterwards. */
export function installDebian(packages) {
  const mayInstall = process.getuid?.() === 0 && onPath('apt-get') && process.env.ISCCD_SETUP_APT !== 'off';
  if (!mayInstall) return;
  console.error(`isccd: installing ${packages.join(', ')}`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  attempt('apt-get', ['update', '-qq'], options);
  attempt('apt-get', ['install', '-y', '--no-install-recommends', ...packages, '-qq'], options);
}

export function exists(file) {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** A digest over the contents of files and folders, relative to the root. A missing entry changes the digest. */
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

/** Whether {@link once} has done the work of this name for `key`. */
export function isDone(name, key) {
  const stamp = path.join(stamps, name);
  return exists(stamp) && readFileSync(stamp, 'utf8') === key;
}

/** Runs `work` unless it was done for the same `key`. A failure leaves the work undone. */
export function once(name, key, work) {
  if (isDone(name, key)) return;
  const stamp = path.join(stamps, name);
  rmSync(stamp, { force: true });
  work();
  mkdirSync(stamps, { recursive: true });
  writeFileSync(stamp, key);
}

/** Makes the next {@link once} of this name run: its output is missing. */
export function forget(name) {
  rmSync(path.join(stamps, name), { force: true });
}
