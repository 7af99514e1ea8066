/**
 * Bundles dependencies into `dist/vendor`, one file each. The build bundles those of many files, because loading 600 files
 * takes a quarter of a start. Packing bundles others too, whose packages hold every build of the same code: without both, an
 * installation is 75 MB larger.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleProblems } from './bundle-faults.mjs';
import { bin, root, run } from './lib.mjs';

/**
 * `harmless`: code in the bundle that looks for files next to its own, and why that does no harm; the build fails at other
 * such code. `requires`: the package calls `require` for modules of Node.js. `typed`: types of isccd refer to those of the package, so
 * that it stays a dependency.
 */
const OF_MANY_FILES = [
  { name: 'pdf-lib', licence: 'LICENSE.md' },
  { name: '@sentry/core', licence: 'LICENSE' },
  { name: 'kysely', licence: 'LICENSE' },
  { name: '@aws-sdk/credential-provider-node', licence: 'LICENSE', requires: true },
  {
    name: 'ioredis',
    licence: 'LICENSE',
    requires: true,
    harmless: { __dirname: 'read for the name of the client, which is off, and for stacks of development' },
  },
  { name: 'commander', licence: 'LICENSE', requires: true },
  {
    name: 'pino',
    licence: 'LICENSE',
    requires: true,
    typed: true,
    harmless: {
      __dirname: 'only of transports, which are workers: all logs are written to streams',
      'new Worker': 'only of transports',
    },
  },
  { name: 'prom-client', licence: 'LICENSE', requires: true, typed: true },
  {
    name: 'undici',
    licence: 'LICENSE',
    requires: true,
    typed: true,
    harmless: { __filename: 'only if it is defined' },
  },
  { name: 'zod', licence: 'LICENSE', typed: true },
];

/**
 * `files`: what the bundle reads from its own folder at run time. `replaced`: modules, and the scripts used in their place.
 * `apart`: packages of one module that calls `eval` on code with its own variables, which bundling would rename. They are
 * copied as they are.
 */
const OF_MANY_BUILDS = [
  {
    name: 'lmdb',
    licence: 'LICENSE',
    replaced: { 'node-gyp-build-optional-packages': 'bundled-lmdb-addon.mjs' },
    apart: ['ordered-binary'],
    harmless: {
      __dirname: 'only for a faster decoder of msgpackr, which does without it',
      'import.meta': 'of the binary, which is replaced, and of a dictionary for compression, which is off',
      "import('./ordered-binary.js')": 'is copied next to the bundle',
      'require(…)': 'of the binary, which is in the package of the platform',
    },
  },
  {
    name: '@hyzyla/pdfium',
    licence: 'LICENSE.md',
    files: ['dist/pdfium.wasm'],
    harmless: { 'import.meta': 'of pdfium.wasm, which is copied next to the bundle' },
  },
];

/** Bundles the dependencies of many files into `dist` of the checkout. */
export function bundleAtBuild() {
  bundleAll(root, OF_MANY_FILES);
}

/** Bundles the rest into the package in `folder`, a copy of the build. Returns the names that are no longer dependencies. */
export function bundleAtPacking(folder) {
  bundleAll(folder, OF_MANY_BUILDS);
  return [...OF_MANY_FILES, ...OF_MANY_BUILDS].filter(({ typed }) => !typed).map(({ name }) => name);
}

function bundleAll(folder, dependencies) {
  const modules = readdirSync(path.join(folder, 'dist'), { recursive: true })
    .map((name) => path.posix.join('dist', name.replaceAll(path.sep, '/')))
    .filter((name) => name.endsWith('.js') && !name.startsWith('dist/vendor/'));
  for (const dependency of dependencies) bundlePackage(folder, modules, dependency);
}

function bundlePackage(
  folder,
  modules,
  { name, licence, files = [], replaced = {}, apart = [], requires = false, harmless },
) {
  const flat = name.replace(/^@/, '').replace('/', '-');
  const statement = new RegExp(`import \\{([^}]*)\\} from '${name}';`, 'g');
  const names = new Set();
  for (const module of modules) {
    const file = path.join(folder, module);
    const text = readFileSync(file, 'utf8');
    const relative = path.posix.relative(path.posix.dirname(module), `dist/vendor/${flat}.js`);
    const written = text.replace(statement, (_, imported) => {
      for (const one of imported.split(',').filter((part) => part.trim() !== ''))
        names.add(one.trim().replace(/ as .*/, ''));
      return `import {${imported}} from '${relative.startsWith('.') ? relative : `./${relative}`}';`;
    });
    if (new RegExp(`['"]${name}['"/]`).test(written)) throw new Error(`${module} still imports ${name}`);
    if (written !== text) writeFileSync(file, written);
  }
  if (names.size === 0) throw new Error(`no module imports ${name}`);
  const vendor = path.join(folder, 'dist', 'vendor');
  mkdirSync(vendor, { recursive: true });
  const target = path.join(vendor, `${flat}.js`);
  bundle(`export { ${[...names].sort().join(', ')} } from '${name}';`, target, { replaced, apart, requires });
  const problems = bundleProblems(name, readFileSync(target, 'utf8').replace(REQUIRE, ''), harmless);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  for (const one of apart) {
    const folderOfOne = path.join(root, 'node_modules', one);
    cpSync(path.join(folderOfOne, 'index.js'), path.join(vendor, `${one}.js`));
    cpSync(path.join(folderOfOne, 'LICENSE'), path.join(vendor, `${one}.LICENSE`));
  }
  const source = path.join(root, 'node_modules', name);
  cpSync(path.join(source, licence), path.join(vendor, `${flat}.LICENSE`));
  for (const file of files) cpSync(path.join(source, file), path.join(vendor, path.basename(file)));
}

const REQUIRE =
  "import{createRequire as isccdRequire}from'node:module';const require=isccdRequire(import.meta.url);";

function bundle(source, target, { replaced, apart, requires }) {
  const aliases = Object.entries(replaced).map(([name, script]) => `--alias:${name}=./scripts/${script}`);
  for (const name of apart) aliases.push(`--alias:${name}=./${name}.js`, `--external:./${name}.js`);
  // Names stay as they are, for stack traces and for `error.constructor.name`.
  // Node.js prints the line that an error is thrown from: it must not be the whole file.
  const smaller = ['--minify-syntax', '--minify-whitespace', '--line-limit=160'];
  const options = ['--bundle', ...smaller, '--platform=node', '--format=esm', '--target=node20'];
  const banner = requires ? [`--banner:js=${REQUIRE}`] : [];
  // Bundled, such code reads other variables than its own, without an error.
  const safe = '--log-override:direct-eval=error';
  const quiet = ['--log-level=error', safe, `--outfile=${target}`];
  run(bin('esbuild'), [...options, ...aliases, ...banner, ...quiet], {
    input: source,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
}
