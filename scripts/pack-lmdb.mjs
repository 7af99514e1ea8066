/**
 * The binary of lmdb for one platform. Its packages hold four builds with debug information, 15 MB, of which isccd needs one:
 * 0.7 MB in the package of the addon. Each platform's build keeps it in `native/` for the release.
 */
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { attempt, exists, onPath, root } from './lib.mjs';

const LIBC = { gnu: 'glibc', musl: 'musl' };

/** Name of the binary in the package of the addon; `bundled-lmdb-addon.mjs` loads it. */
export const lmdbName = (suffix) => `lmdb.${suffix}.node`;

/** Copies the binary for `suffix`, such as `linux-x64-gnu`, to `folder`. Returns whether there is one. */
export function copyLmdb(folder, suffix) {
  const target = path.join(folder, lmdbName(suffix));
  const kept = path.join(root, 'native', lmdbName(suffix));
  const source = exists(kept) ? kept : installed(suffix);
  if (source === undefined) return false;
  if (source !== target) cpSync(source, target);
  if (process.platform === 'linux' && onPath('strip')) attempt('strip', ['--strip-unneeded', target]);
  return true;
}

function installed(suffix) {
  const [platform, arch, abi] = suffix.split('-');
  const folder = path.join(root, 'node_modules', '@lmdb', `lmdb-${platform}-${arch}`);
  if (!exists(folder)) return undefined;
  const wanted =
    LIBC[abi] === undefined
      ? /^node\.napi(\.glibc)?\.node$/
      : new RegExp(`^node\\.napi\\.${LIBC[abi]}\\.node$`);
  const name = readdirSync(folder).find((file) => wanted.test(file));
  return name === undefined ? undefined : path.join(folder, name);
}
