/** In the bundle of lmdb, this replaces the search for its binary: it is next to the addon of isccd. */
import { createRequire } from 'node:module';
import { addonTarget } from '../dist/platform/addon-target.js';

const require = createRequire(import.meta.url);

export default function loadBinary() {
  const target = addonTarget();
  return require(`@isccd/native-${target}/lmdb.${target}.node`);
}
