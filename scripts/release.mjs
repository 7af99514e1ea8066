/**
 * Releases. `npm run release -- --dry-run [FOLDER]` packs the packages (or takes those of FOLDER), publishes them to a registry
 * on this machine, installs them from it into an empty folder without a compiler on the PATH, starts the server, and makes a
 * code with the installed client.
 *
 * `npm run release -- --check` verifies that tag, version and changelog agree. `npm run release -- --publish FOLDER` does the
 * same and publishes the packages of FOLDER: isccd itself comes last, so that half a release cannot be installed, and a
 * second run continues where the first one failed.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { attempt, root, run } from './lib.mjs';
import { freePort, startRegistry } from './local-registry.mjs';
import { fetchPrebuilt, findPrebuilt } from './prebuilt.mjs';
import { tryInstallation } from './try-installation.mjs';

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** One line per reason why this must not be published. */
export function releaseProblems({
  tag = process.env.GITHUB_REF_NAME,
  repository = process.env.GITHUB_REPOSITORY,
}) {
  const problems = [];
  const { version } = manifest;
  if (tag !== `v${version}`) problems.push(`the tag is ${tag}, but package.json has version ${version}`);
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  if (!changelog.includes(`\n## ${version} - `))
    problems.push(`CHANGELOG.md has no section "## ${version} - DATE"`);
  const url = manifest.repository?.url ?? '';
  if (repository !== undefined && !url.endsWith(`/${repository}.git`))
    problems.push(
      `package.json names the repository ${url}, this is ${repository}: provenance would be refused`,
    );
  return problems;
}

/** Tarballs in the order of publishing: what others depend on first. */
function tarballs(folder) {
  const rank = (name) => (name.startsWith('isccd-native-') ? 0 : /^isccd-(client|wasm)-/.test(name) ? 1 : 2);
  const names = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  return names.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b)).map((name) => path.join(folder, name));
}

function publish(folder, flags) {
  const files = tarballs(folder).map((file) => ({ file, ...identityOf(file) }));
  const published = files.map(({ name, version }) => {
    const found = attempt('npm', ['view', `${name}@${version}`, 'dist.shasum', ...flags.view]);
    return found.status === 0 ? found.stdout.trim() : '';
  });
  const changed = files.filter(({ shasum }, at) => published[at] !== '' && published[at] !== shasum);
  if (changed.length > 0)
    fail(changed.map(({ name, version }) => `${name}@${version} is published with other contents`));
  for (const [at, { file, name }] of files.entries()) {
    if (published[at] !== '') console.error(`isccd: ${name} is already published`);
    else run('npm', ['publish', '--access', 'public', ...flags.publish, file]);
  }
}

function identityOf(file) {
  const packed = attempt('npm', ['pack', '--dry-run', '--json', '--loglevel=error', file]);
  const [first] = Object.values(JSON.parse(packed.stdout));
  return { name: first.name, version: first.version, shasum: first.shasum };
}

async function dryRun(given) {
  const folder = mkdtempSync(path.join(tmpdir(), 'isccd-release-'));
  const packages = given ?? path.join(folder, 'packages');
  const registryFolder = path.join(folder, 'registry');
  mkdirSync(registryFolder);
  if (given === undefined) run(process.execPath, [path.join(root, 'scripts', 'pack.mjs'), packages]);
  const registry = await startRegistry(registryFolder);
  try {
    const { host } = new URL(registry.url);
    const to = [`--registry=${registry.url}`, `--//${host}/:_authToken=anyone`];
    publish(packages, { view: to, publish: [...to, '--loglevel=error'] });
    tryPrebuilt(path.join(folder, 'prebuilt'), registry.url);
    await tryInstallation({ folder, registry: registry.url, version: manifest.version, freePort });
  } finally {
    registry.stop();
    // On Windows, files of a process that has just ended stay locked for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
}

/** What the set-up of a clone does with the published addon. */
function tryPrebuilt(folder, registry) {
  const env = { ...process.env, npm_config_registry: registry, npm_config_cache: path.join(folder, 'cache') };
  const found = findPrebuilt({ env });
  const problem =
    found.state === 'found' ? fetchPrebuilt(found, folder, { env }) : `it is not found: ${found.state}`;
  if (problem !== undefined) throw new Error(`a clone cannot use the published addon: ${problem}`);
  const names = readdirSync(folder).filter((name) => name.endsWith('.node'));
  console.log(`isccd: a clone gets ${found.spec}: ${names.join(', ')}`);
}

function fail(problems) {
  for (const problem of problems) console.error(`isccd: ${problem}`);
  process.exit(1);
}

const [mode, given] = process.argv.slice(2);
// Absolute: npm takes `packages/NAME.tgz` for a repository of that name.
const folder = given === undefined ? undefined : path.resolve(given);
if (mode === '--dry-run') await dryRun(folder);
else if (mode === '--check' || (mode === '--publish' && folder !== undefined)) {
  const problems = releaseProblems({});
  if (problems.length > 0) fail(problems);
  if (mode === '--publish') publish(folder, { view: [], publish: ['--provenance'] });
} else fail(['usage: npm run release -- --dry-run [FOLDER] | --check | --publish FOLDER']);
