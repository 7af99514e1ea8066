/** Copies what the compiler does not: static browser files into `dist/web`, and the vectors of `isccd selftest`. */
import { cpSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib.mjs';

const VECTORS = ['test', 'fixtures', 'codes', 'conformance_iscc_core_1_5_0.json'];
const DOCS_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE'];

/** Files of `src/web` that are served unchanged; the compiler writes its TypeScript to the same folder. */
const AS_IS = /\.(html|css|svg)$/;

export function copyWeb() {
  const source = path.join(root, 'src', 'web');
  cpSync(source, path.join(root, 'dist', 'web'), {
    recursive: true,
    filter: (file) => statSync(file).isDirectory() || AS_IS.test(file),
  });
  cpSync(path.join(root, ...VECTORS), path.join(root, 'dist', 'cli', 'conformance.json'));
  docs();
}

function docs() {
  const target = path.join(root, 'dist', 'web', 'docs');
  mkdirSync(target, { recursive: true });
  for (const file of DOCS_FILES) {
    cpSync(path.join(root, 'node_modules', 'swagger-ui-dist', file), path.join(target, file));
  }
}
