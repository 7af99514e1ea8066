/**
 * Prepares the packages for publishing under `npm/`: the main package, and one package per platform with a binary in
 * `native/`. `node scripts/pack.mjs [--every-target] [FOLDER]` packs them into FOLDER (default: `npm`). With
 * `--every-target` it fails if a platform's binary is missing.
 *
 * The optional dependencies on platform packages are added here and not kept in the repository: until they are published,
 * every `npm install` in a checkout would fail to find them.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { attempt, exists, root, run } from './lib.mjs';
import { bin, setup } from './setup.mjs';

const staging = path.join(root, 'npm');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Fields of package.json that users of the package do not need. */
const PRIVATE_FIELDS = ['scripts', 'devDependencies', 'napi', 'overrides', 'scarfSettings'];

function platformPackages() {
  run(bin('napi'), ['create-npm-dirs', '--npm-dir', 'npm']);
  const suffixes = manifest.napi.targets.map(suffixOf);
  return suffixes.map((suffix) => {
    const folder = path.join(staging, suffix);
    const binary = `${manifest.napi.binaryName}.${suffix}.node`;
    const built = path.join(root, 'native', binary);
    if (exists(built)) cpSync(built, path.join(folder, binary));
    cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
    return { folder, name: `${manifest.napi.packageName}-${suffix}`, built: exists(built) };
  });
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
  const published = { ...manifest };
  for (const field of PRIVATE_FIELDS) delete published[field];
  const natives = platforms.map(({ name }) => [name, manifest.version]);
  published.optionalDependencies = { ...manifest.optionalDependencies, ...Object.fromEntries(natives) };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  return folder;
}

const args = process.argv.slice(2).filter((argument) => argument !== '--every-target');
setup();
rmSync(staging, { recursive: true, force: true });
const platforms = platformPackages();
const missing = platforms.filter(({ built }) => !built).map(({ name }) => name);
if (missing.length > 0 && process.argv.includes('--every-target')) {
  console.error(`isccd: missing binaries: ${missing.join(', ')}`);
  process.exit(1);
}
const folders = [
  mainPackage(platforms),
  ...platforms.filter(({ built }) => built).map(({ folder }) => folder),
];
const target = path.resolve(args[0] ?? staging);
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
