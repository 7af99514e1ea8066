/** `npm start -- ARGS`: runs the setup, then the `isccd` command (default: `serve`). Services get the module for browsers, too. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildWasm } from './build-wasm.mjs';
import { root } from './lib.mjs';
import { setup } from './setup.mjs';

setup();
const [command = 'serve'] = process.argv.slice(2);
// Without it, the pages upload every file.
if (command === 'serve' || command === 'demo') buildWasm();
const main = path.join(root, 'dist', 'cli', 'main.js');
const args = process.argv.slice(2);
process.argv = [process.argv[0] ?? 'node', main, ...(args.length > 0 ? args : ['serve'])];
await import(pathToFileURL(main).href);
