/**
 * The binaries of uWebSockets.js that the platform packages contain. Their npm package is not from the project itself, so
 * `scripts/uws-binaries.json` pins each file by its SHA-256. `node scripts/uws-binaries.mjs FOLDER` fails unless the folder has
 * exactly these files: the release workflow calls it with a checkout of the project's own tag.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exists, root } from './lib.mjs';

const { sha256 } = JSON.parse(readFileSync(path.join(root, 'scripts', 'uws-binaries.json'), 'utf8'));

/**
 * Paths of the binaries of a platform, one for each version of Node.js.
 *
 * @param {string} platform e.g. `linux`
 * @param {string} arch e.g. `x64`
 * @returns {string[]}
 * @throws if a file is not the pinned one
 */
export function uwsBinaries(platform, arch) {
  const folder = path.join(root, 'node_modules', 'uWebSockets.js');
  const names = Object.keys(sha256).filter((name) => name.startsWith(`uws_${platform}_${arch}_`));
  const faults = faultsIn(folder, names);
  if (faults.length > 0) throw new Error(`uWebSockets.js: ${faults.join(', ')}`);
  return names.map((name) => path.join(folder, name));
}

/**
 * Which files of a folder are missing, or not the pinned ones.
 *
 * @param {string} folder
 * @param {readonly string[]} names
 * @returns {string[]}
 */
export function faultsIn(folder, names = Object.keys(sha256)) {
  return names.flatMap((name) => {
    const file = path.join(folder, name);
    if (!exists(file)) return [`${name} is missing`];
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
    return digest === sha256[name] ? [] : [`${name} has SHA-256 ${digest} instead of ${sha256[name]}`];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = faultsIn(process.argv[2] ?? path.join(root, 'node_modules', 'uWebSockets.js'));
  for (const fault of faults) console.error(`isccd: ${fault}`);
  process.exit(faults.length > 0 ? 1 : 0);
}
