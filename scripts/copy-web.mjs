/** Copies what browsers load and no compiler makes into `dist/web`. */
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib.mjs';

const DOCS_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE'];

export function copyWeb() {
  const target = path.join(root, 'dist', 'web', 'docs');
  mkdirSync(target, { recursive: true });
  for (const file of DOCS_FILES) {
    cpSync(path.join(root, 'node_modules', 'swagger-ui-dist', file), path.join(target, file));
  }
}
