/**
 * Prepares a fresh clone for its first start: system tools, npm packages, the native addon, the TypeScript. Each step is
 * skipped while its inputs are unchanged. Uses only Node's built-in modules.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleAtBuild } from './bundle-dependencies.mjs';
import { installHook } from './commit-message.mjs';
import { copyWeb } from './copy-web.mjs';
import {
  attempt,
  digest,
  exists,
  forget,
  installDebian,
  isDone,
  once,
  onPath,
  root,
  run,
  tsc,
} from './lib.mjs';
import { exclusively } from './lock.mjs';
import { addonSources, fetchPrebuilt, findPrebuilt } from './prebuilt.mjs';
import { preflight } from './preflight.mjs';

/** Tools that enable more features but are not required: [executable, Debian package, feature]. */
const OPTIONAL_TOOLS = [
  ['nasm', 'nasm', 'JPEG decoding with SIMD'],
  ['ffmpeg', 'ffmpeg', 'codes of audio and video'],
  ['perl', 'perl', 'writing metadata into images'],
];

/** Native binaries differ by platform. All are built for Node-API, or for every version, so that each Node.js can use them. */
const platform = `${process.platform}-${process.arch}`;

export function setup() {
  locked(prepare);
}

/** Builds the TypeScript only, with the packages and the addon of the last {@link setup}. */
export function setupTypescript() {
  locked(() => {
    if (!exists(path.join(root, 'native', 'index.d.ts'))) return prepare();
    npmPackages();
    typescript();
  });
}

/** Two builds of a folder at a time would write over each other's files. */
function locked(work) {
  exclusively(path.join(root, '.setup', 'lock'), work, (pid) => {
    console.error(`isccd: waiting for process ${pid}, which builds in the same folder`);
  });
}

function prepare() {
  prepareAddon();
  typescript();
  installHook(root);
}

function prepareAddon() {
  const hasAddon = isDone('addon', addonKey());
  const prebuilt = hasAddon && isDone('packages', packagesKey()) ? undefined : findPrebuilt();
  preflight({ compile: !hasAddon && prebuilt?.state !== 'found', unreachable: prebuilt?.reason });
  systemTools();
  npmPackages();
  addon(prebuilt);
}

function systemTools() {
  const missing = OPTIONAL_TOOLS.filter(([executable]) => !onPath(executable));
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name);
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  // One attempt per set of missing tools: a machine without a mirror should not wait at every start.
  once('tools', packages.join(' '), () => {
    installDebian(packages);
    for (const [executable, , feature] of missing) {
      if (!onPath(executable))
        console.error(`isccd: ${executable} is missing, so ${feature} is unavailable; on Debian: ${command}`);
    }
  });
}

function packagesKey() {
  return platform + digest(['package-lock.json']);
}

/** Installs the packages of the lock file, if they are not. */
export function npmPackages() {
  if (!exists(path.join(root, 'node_modules', '.package-lock.json'))) forget('packages');
  once('packages', packagesKey(), () => {
    console.error('isccd: installing npm packages');
    const retries = ['--fetch-retries=2', '--fetch-timeout=60000'];
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...retries]);
  });
}

function addonKey() {
  return platform + addonSources();
}

function addon(prebuilt) {
  if (!exists(path.join(root, 'native', 'index.d.ts'))) forget('addon');
  once('addon', addonKey(), () => {
    if (prebuilt?.state === 'found' && useAddon(prebuilt)) return;
    preflight({ compile: true });
    run(process.execPath, [path.join(root, 'scripts', 'build-addon.mjs')]);
  });
}

function useAddon(prebuilt) {
  console.error(`isccd: fetching the native addon ${prebuilt.spec}`);
  const problem = fetchPrebuilt(prebuilt, path.join(root, 'native'));
  if (problem === undefined) return true;
  console.error(`isccd: the published addon is not used, it is compiled instead: ${problem}`);
  return false;
}

/**
 * Cargo options that reuse what the addon was built of: its profile and its platform. The crates depend on several hundred
 * others, some of which build C libraries.
 */
export function addonProfile() {
  const host = /^host: (.+)$/m.exec(attempt('rustc', ['-vV']).stdout ?? '')?.[1];
  return host === undefined ? ['--release'] : ['--release', '--target', host];
}

/** Types of the clients, which the documents in `openapi` define. */
function openapiTypes() {
  if (!exists(path.join(root, 'src', 'client', 'openapi', 'codes.ts'))) forget('openapi-types');
  once('openapi-types', digest(['openapi', 'scripts/openapi-types.mjs', 'package-lock.json']), () => {
    run(process.execPath, [path.join(root, 'scripts', 'openapi-types.mjs')]);
  });
}

/** Cargo options that compile our own crates quickly and with more checks, and keep the dependencies of the addon. */
export const INNER = ['--config', path.join(root, '.cargo', 'inner.toml')];

/** Cargo options for tests. */
export function innerProfile() {
  return [...addonProfile(), ...INNER];
}

function typescript() {
  openapiTypes();
  const key = digest([
    'src',
    'tsconfig.json',
    'package-lock.json',
    'native/index.d.ts',
    'scripts/bundle-dependencies.mjs',
    'scripts/bundle-faults.mjs',
    'scripts/copy-web.mjs',
  ]);
  if (!exists(path.join(root, 'dist', 'cli', 'main.js'))) forget('typescript');
  once('typescript', key, () => {
    console.error('isccd: compiling TypeScript');
    tsc('-p', 'tsconfig.json');
    tsc('-p', 'src/console/tsconfig.json');
    tsc('-p', 'src/wasm/tsconfig.json');
    bundleAtBuild();
    copyWeb();
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  // Layers of an image: the addon needs fewer files than the rest.
  if (process.argv[2] === '--addon') locked(prepareAddon);
  else setup();
}
