/**
 * Bundles dependencies of which one module uses a small part: their packages hold every build of the same code. Without this
 * an installation is 40 MB larger.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, run } from './lib.mjs';
import { bin } from './setup.mjs';

const BUNDLED = [
  { name: 'pdf-lib', licence: 'LICENSE.md', module: 'dist/codes/pipeline/formats/pdf-embed.js' },
  { name: '@sentry/core', licence: 'LICENSE', module: 'dist/observe/error-report.js' },
];

/** Bundles into the package in `folder`. Returns the names that are no longer dependencies. */
export function bundleSmallParts(folder) {
  for (const { name, licence, module } of BUNDLED) {
    const file = path.join(folder, module);
    const text = readFileSync(file, 'utf8');
    const statement = new RegExp(`import (\\{[^}]*\\}) from '${name}';`).exec(text);
    if (statement === null) throw new Error(`${module} does not import ${name}`);
    const flat = name.replace(/^@/, '').replace('/', '-');
    const vendor = path.join(folder, 'dist', 'vendor');
    mkdirSync(vendor, { recursive: true });
    const target = path.join(vendor, `${flat}.js`);
    bundle(`export ${statement[1]} from '${name}';`, target);
    cpSync(path.join(root, 'node_modules', name, licence), path.join(vendor, `${flat}.LICENSE`));
    const relative = path.posix.relative(path.posix.dirname(module), `dist/vendor/${flat}.js`);
    writeFileSync(file, text.replace(statement[0], `import ${statement[1]} from '${relative}';`));
  }
  return BUNDLED.map(({ name }) => name);
}

function bundle(source, target) {
  const options = ['--bundle', '--minify', '--platform=node', '--format=esm', '--target=node20'];
  const quiet = ['--log-level=error', `--outfile=${target}`];
  run(bin('esbuild'), [...options, ...quiet], { input: source, stdio: ['pipe', 'inherit', 'inherit'] });
}
