/**
 * Bundles dependencies of which isccd uses one form: their packages hold every build of the same code. Without this an
 * installation is 75 MB larger. Not for packages whose types are in those of isccd.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, run } from './lib.mjs';
import { bin } from './setup.mjs';

/**
 * `files`: what the bundle reads from its own folder at run time. `replaced`: modules, and the scripts used in their place.
 * `requires`: the package calls `require` for modules of Node.js.
 */
const BUNDLED = [
  { name: 'pdf-lib', licence: 'LICENSE.md' },
  { name: '@sentry/core', licence: 'LICENSE' },
  { name: 'kysely', licence: 'LICENSE' },
  {
    name: 'lmdb',
    licence: 'LICENSE',
    replaced: { 'node-gyp-build-optional-packages': 'bundled-lmdb-addon.mjs' },
  },
  { name: '@aws-sdk/credential-provider-node', licence: 'LICENSE', requires: true },
  { name: 'ioredis', licence: 'LICENSE', requires: true },
  { name: '@hyzyla/pdfium', licence: 'LICENSE.md', files: ['dist/pdfium.wasm'] },
];

/** Bundles into the package in `folder`. Returns the names that are no longer dependencies. */
export function bundleSmallParts(folder) {
  const modules = readdirSync(path.join(folder, 'dist'), { recursive: true })
    .filter((name) => name.endsWith('.js'))
    .map((name) => path.posix.join('dist', name.replaceAll(path.sep, '/')));
  for (const dependency of BUNDLED) bundlePackage(folder, modules, dependency);
  return BUNDLED.map(({ name }) => name);
}

function bundlePackage(folder, modules, { name, licence, files = [], replaced = {}, requires = false }) {
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
  bundle(`export { ${[...names].sort().join(', ')} } from '${name}';`, path.join(vendor, `${flat}.js`), {
    replaced,
    requires,
  });
  const source = path.join(root, 'node_modules', name);
  cpSync(path.join(source, licence), path.join(vendor, `${flat}.LICENSE`));
  for (const file of files) cpSync(path.join(source, file), path.join(vendor, path.basename(file)));
}

const REQUIRE =
  "import{createRequire as isccdRequire}from'node:module';const require=isccdRequire(import.meta.url);";

function bundle(source, target, { replaced, requires }) {
  const aliases = Object.entries(replaced).map(([name, script]) => `--alias:${name}=./scripts/${script}`);
  const options = ['--bundle', '--minify', '--platform=node', '--format=esm', '--target=node20'];
  const banner = requires ? [`--banner:js=${REQUIRE}`] : [];
  const quiet = ['--log-level=error', `--outfile=${target}`];
  run(bin('esbuild'), [...options, ...aliases, ...banner, ...quiet], {
    input: source,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
}
