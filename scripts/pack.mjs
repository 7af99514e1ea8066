/**
 * Packs for publishing: the main package, the clients alone, the codes for browsers, and one package per platform with a binary in `native/`.
 * `node scripts/pack.mjs [--every-target] [FOLDER]` packs them into FOLDER (default: `npm`). With `--every-target` it fails if
 * a platform's binary is missing. Safe for concurrent callers.
 *
 * The optional dependencies on platform packages are added here and not kept in the repository: until they are published,
 * every `npm install` in a checkout would fail to find them.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleAtPacking } from './bundle-dependencies.mjs';
import { attempt, bin, exists, root, run } from './lib.mjs';
import { packClient } from './pack-client.mjs';
import { copyLmdb, lmdbName } from './pack-lmdb.mjs';
import { packWasm } from './pack-wasm.mjs';
import { addonSources } from './prebuilt.mjs';
import { setup } from './setup.mjs';
import { uwsBinaries } from './uws-binaries.mjs';

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/**
 * Where the packages are prepared. In the checkout, because bundling looks for packages in the folders above. A folder of
 * its own, because napi keeps a journal next to package.json: if another caller deletes its files, napi fails from then on.
 */
const staging = temporaryFolder(path.join(root, 'npm'));

/** Fields of package.json that users of the package do not need. */
const PRIVATE_FIELDS = ['scripts', 'devDependencies', 'napi', 'overrides', 'scarfSettings'];

function platformPackages() {
  cpSync(path.join(root, 'package.json'), path.join(staging, 'package.json'));
  run(bin('napi'), ['create-npm-dirs', '--npm-dir', '.'], { cwd: staging });
  const suffixes = manifest.napi.targets.map(suffixOf);
  return suffixes.map((suffix) => {
    const folder = path.join(staging, suffix);
    const binary = `${manifest.napi.binaryName}.${suffix}.node`;
    const built = path.join(root, 'native', binary);
    if (exists(built)) cpSync(built, path.join(folder, binary));
    const libraries = [...copyToolHost(folder, suffix), ...copyTransport(folder, suffix), lmdbName(suffix)];
    const added = [...copyTypes(folder), ...libraries];
    if (exists(built) && !copyLmdb(folder, suffix))
      throw new Error(`there is no binary of lmdb for ${suffix}`);
    completeManifest(path.join(folder, 'package.json'), added);
    cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
    return { folder, name: `${manifest.napi.packageName}-${suffix}`, built: exists(built) };
  });
}

/** The addon's types, for clones that fetch it instead of compiling it. */
function copyTypes(folder) {
  cpSync(path.join(root, 'native', 'index.d.ts'), path.join(folder, 'index.d.ts'));
  return ['index.d.ts'];
}

/** The library that keeps programs loaded; for Linux only. */
function copyToolHost(folder, suffix) {
  const library = `isccd-tool-host.${suffix}.so`;
  const built = path.join(root, 'native', library);
  if (!exists(built)) return [];
  cpSync(built, path.join(folder, library));
  return [library];
}

/** The binaries of uWebSockets.js for this platform, for glibc only. Its package has those of all platforms: 115 MB. */
function copyTransport(folder, suffix) {
  const [platform, arch, abi] = suffix.split('-');
  const binaries = abi === 'musl' ? [] : uwsBinaries(platform, arch);
  if (binaries.length === 0) return [];
  for (const file of binaries) cpSync(file, path.join(folder, path.basename(file)));
  // The npm package of the binaries has no file of the licence, that of an older version has.
  const licence = path.join(root, 'node_modules', 'uWebSockets.js-unofficial', 'LICENSE');
  cpSync(licence, path.join(folder, 'LICENSE-uWebSockets.js'));
  return [...binaries.map((file) => path.basename(file)), 'LICENSE-uWebSockets.js'];
}

/** What napi leaves out. Provenance needs the repository; a clone compares the sources with its own. */
function completeManifest(file, added) {
  const { repository, homepage, bugs } = manifest;
  const written = JSON.parse(readFileSync(file, 'utf8'));
  const files = [...written.files, ...added];
  const isccdSources = addonSources();
  writeFileSync(
    file,
    `${JSON.stringify({ ...written, files, repository, homepage, bugs, isccdSources }, null, 2)}\n`,
  );
}

/** Source maps refer to sources that are not in the package. */
const isNeeded = (file) => !file.endsWith('.map');

/** napi's short name of a Rust target triple. */
function suffixOf(triple) {
  const [cpu, , system, abi] = triple.split('-');
  const arch = { x86_64: 'x64', aarch64: 'arm64' }[cpu];
  const platform = { linux: 'linux', darwin: 'darwin', windows: 'win32' }[system];
  return [platform, arch, abi].filter(Boolean).join('-');
}

function mainPackage(platforms) {
  const folder = path.join(staging, manifest.name);
  mkdirSync(folder, { recursive: true });
  for (const entry of manifest.files) {
    if (exists(path.join(root, entry)))
      cpSync(path.join(root, entry), path.join(folder, entry), { recursive: true, filter: isNeeded });
  }
  const published = { ...manifest, dependencies: { ...manifest.dependencies } };
  for (const name of bundleAtPacking(folder)) delete published.dependencies[name];
  for (const field of PRIVATE_FIELDS) delete published[field];
  published.dependencies = exactVersions(published.dependencies);
  const natives = platforms.map(({ name }) => [name, manifest.version]);
  const { 'uWebSockets.js': _, ...optional } = manifest.optionalDependencies;
  published.optionalDependencies = { ...exactVersions(optional), ...Object.fromEntries(natives) };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  return folder;
}

/** What was tested is what users get: the versions of the lock file, instead of ranges. */
function exactVersions(dependencies) {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  return Object.fromEntries(
    Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`].version]),
  );
}

/** A new folder in `parent`, until the process exits. */
function temporaryFolder(parent) {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, 'staging-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const args = process.argv.slice(2).filter((argument) => argument !== '--every-target');
setup();
const platforms = platformPackages();
const missing = platforms.filter(({ built }) => !built).map(({ name }) => name);
if (missing.length > 0 && process.argv.includes('--every-target')) {
  console.error(`isccd: missing binaries: ${missing.join(', ')}`);
  process.exit(1);
}
const wasm = packWasm(path.join(staging, 'isccd-wasm'), manifest);
if (wasm === undefined && process.argv.includes('--every-target')) process.exit(1);
const folders = [
  mainPackage(platforms),
  packClient(path.join(staging, 'isccd-client'), manifest),
  ...(wasm === undefined ? [] : [wasm]),
  ...platforms.filter(({ built }) => built).map(({ folder }) => folder),
];
const target = path.resolve(args[0] ?? path.join(root, 'npm'));
mkdirSync(target, { recursive: true });
const packed = attempt('npm', [
  'pack',
  '--json',
  '--pack-destination',
  target,
  '--loglevel=error',
  ...folders,
]);
if (packed.status !== 0) {
  console.error(packed.stderr);
  process.exit(1);
}
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
for (const { filename, size, unpackedSize, entryCount } of Object.values(JSON.parse(packed.stdout))) {
  console.log(
    `${filename}: ${megabytes(size)} packed, ${megabytes(unpackedSize)} unpacked, ${entryCount} files`,
  );
}
