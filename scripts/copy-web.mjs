/**
 * Copies what the compiler does not: static browser files into `dist/console`, the vectors of `isccd selftest`, and the types of
 * the addon.
 */
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib.mjs';

const VECTORS = ['test', 'fixtures', 'codes', 'conformance_iscc_core_1_5_0.json'];
const DOCS_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE'];

/** Files of `src/console` that are served unchanged; the compiler writes its TypeScript to the same folder. */
const AS_IS = /\.(html|css|svg)$/;

export function copyWeb() {
  const source = path.join(root, 'src', 'console');
  cpSync(source, path.join(root, 'dist', 'console'), {
    recursive: true,
    filter: (file) => statSync(file).isDirectory() || AS_IS.test(file),
  });
  cpSync(path.join(root, ...VECTORS), path.join(root, 'dist', 'cli', 'conformance.json'));
  docs();
  addonTypes();
}

/** Users of the package have no folder `native`: without its types, everything that they describe would be `any`. */
function addonTypes() {
  const file = path.join(root, 'dist', 'native.d.ts');
  cpSync(path.join(root, 'native', 'index.d.ts'), path.join(root, 'dist', 'addon.d.ts'));
  const written = readFileSync(file, 'utf8').replaceAll("'../native/index.d.ts'", "'./addon.js'");
  if (!written.includes("export type * from './addon.js'"))
    throw new Error('dist/native.d.ts names the types of the addon in another way');
  writeFileSync(file, written);
}

function docs() {
  const target = path.join(root, 'dist', 'console', 'docs');
  mkdirSync(target, { recursive: true });
  for (const file of DOCS_FILES) {
    cpSync(path.join(root, 'node_modules', 'swagger-ui-dist', file), path.join(target, file));
  }
}
