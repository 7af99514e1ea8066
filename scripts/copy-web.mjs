/**
 * Builds what the compiler does not: the pages in `dist/console`, the vectors of `isccd selftest`, and the types of the addon.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { copyModule } from './build-wasm.mjs';
import { bin, root, run } from './lib.mjs';

const VECTORS = ['test', 'fixtures', 'codes', 'conformance_iscc_core_1_5_0.json'];
const DOCS_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE'];

/** One file each, so that a page takes few requests. `style.css` is also part of `console.css`. */
const BUNDLES = [
  'main.ts',
  'coder.ts',
  'console.css',
  'style.css',
  'viewer.css',
  'admin/main.ts',
  'admin/admin.css',
];
const AS_IS = ['frame.html', 'icon.svg'];

export function copyWeb() {
  pages();
  cpSync(path.join(root, ...VECTORS), path.join(root, 'dist', 'cli', 'conformance.json'));
  docs();
  addonTypes();
}

function pages() {
  const [source, target] = ['src', 'dist'].map((folder) => path.join(root, folder, 'console'));
  rmSync(target, { recursive: true, force: true });
  const options = [
    ...['--bundle', '--minify', '--format=esm', '--target=es2023', '--charset=utf8'],
    ...['--legal-comments=none', '--log-level=warning', `--outbase=${source}`, `--outdir=${target}`],
  ];
  run(bin('esbuild'), [...BUNDLES.map((file) => path.join(source, file)), ...options]);
  for (const file of AS_IS) cpSync(path.join(source, file), path.join(target, file));
  copyModule();
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
