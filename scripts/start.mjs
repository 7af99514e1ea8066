/** `npm start -- ARGS`: runs the setup, then the `isccd` command (default: `serve`). */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './lib.mjs';
import { setup } from './setup.mjs';

setup();
const main = path.join(root, 'dist', 'cli', 'main.js');
const args = process.argv.slice(2);
process.argv = [process.argv[0] ?? 'node', main, ...(args.length > 0 ? args : ['serve'])];
await import(pathToFileURL(main).href);
