/**
 * What sharing costs and brings: engines that several instances share against the folder of one machine, and several
 * processes against one.
 *
 * Usage: cluster.ts [PART…] [ASSETS] [SECONDS]; default: all parts. The numbers are those of `search` and `opensearch`.
 */
import { opensearch } from './support/cluster-opensearch.js';
import { search } from './support/cluster-search.js';
import { uploads } from './support/cluster-uploads.js';
import { workers } from './support/cluster-workers.js';
import { ARGUMENTS } from './support/options.js';

const PARTS: Readonly<Record<string, () => Promise<void>>> = { search, opensearch, uploads, workers };
const wanted = ARGUMENTS.filter((argument) => argument in PARTS);

for (const [name, part] of Object.entries(PARTS))
  if (wanted.length === 0 || wanted.includes(name)) await part();
