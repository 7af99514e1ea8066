/**
 * Prepares what gets published under `npm/`: the main package, and one package per platform whose
 * binary is here. `node scripts/pack.mjs [FOLDER]` then packs them into FOLDER (default: `npm`).
 *
 * The main package's optional dependencies are written here and not kept in the repository: until
 * they are published, every `npm install` of a checkout would ask the registry for them in vain.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { exists, root, run } from './lib.mjs';
import { bin, setup } from './setup.mjs';

const staging = path.join(root, 'npm');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Fields of the repository's manifest that mean nothing to a user of the package. */
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
      cpSync(path.join(root, entry), path.join(folder, entry), { recursive: true });
  }
  const published = { ...manifest };
  for (const field of PRIVATE_FIELDS) delete published[field];
  const natives = platforms.map(({ name }) => [name, manifest.version]);
  published.optionalDependencies = { ...manifest.optionalDependencies, ...Object.fromEntries(natives) };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  return folder;
}

setup();
rmSync(staging, { recursive: true, force: true });
const platforms = platformPackages();
const folders = [
  mainPackage(platforms),
  ...platforms.filter(({ built }) => built).map(({ folder }) => folder),
];
const target = path.resolve(process.argv[2] ?? staging);
mkdirSync(target, { recursive: true });
run('npm', ['pack', '--pack-destination', target, '--loglevel=error', ...folders]);
