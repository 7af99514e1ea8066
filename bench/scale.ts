/**
 * Exact search in large indexes: lists compared with the scan, the `usearch` crate (in one process, `cargo bench`) and
 * faiss (PyPI) on the same rows, one thread each. Every answer is compared with the scan's; one difference fails the run.
 * Then searches and commits while segments are written to files, compared with those in between, and the start of an index of
 * as many assets: mapped files compared with loading all assets.
 *
 * `npm run bench -- scale -- rows=10000000` uses another number of rows than 1,000,000.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { CARGO_OPTIONS } from '../scripts/lib.mjs';
import { ARGUMENTS, QUICK } from './support/options.js';
import { peerProgram } from './support/search-servers.js';

const PEER = 'faiss-cpu';

/** Times of ours, by the number of bits that may differ. */
type Ours = Readonly<Record<string, { readonly us: number }>>;

interface PeerResult {
  readonly name: string;
  readonly distance: number;
  readonly us: number;
  readonly recall: number;
  /** Seconds that adding all rows took. */
  readonly built: number;
}

interface PeerResults {
  readonly range: readonly PeerResult[];
  readonly hnsw: Omit<PeerResult, 'name' | 'distance'> & { readonly rows: number };
}

/** How many times slower than ours a peer must be, by its name and the number of bits. */
const MUST = new Map([
  ['IndexBinaryMultiHash 16x16, 1 flips 31', 10],
  ['IndexBinaryFlat 31', 7],
]);

const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
try {
  for (const name of ['scale', 'sealing', 'start']) {
    const bench = ['bench', '--quiet', ...CARGO_OPTIONS, '-p', 'iscc-search', '--bench', name, '--'];
    const args = [...bench, ...(QUICK ? ['--quick'] : []), ...ARGUMENTS];
    const env = { ...process.env, ISCC_BENCH_VECTORS: folder };
    const ours = spawnSync('cargo', args, { stdio: 'inherit', env });
    if (ours.status !== 0) throw new Error(`cargo bench ${name} failed (${ours.status})`);
  }
  if (!QUICK) await runPeer();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function runPeer(): Promise<void> {
  const python = await peerProgram('python', PEER, 'numpy');
  const script = path.join(import.meta.dirname, 'support', 'scale_peer.py');
  const { stdout } = await promisify(execFile)(python, [script, folder]);
  const { range, hnsw } = JSON.parse(stdout) as PeerResults;
  const ours = JSON.parse(await readFile(path.join(folder, 'ours.json'), 'utf8')) as Ours;
  console.log('\nfaiss, families of 256 bits');
  for (const { name, distance, us, recall, built } of range) {
    const own = ours[String(distance)]?.us ?? Number.NaN;
    const must = MUST.get(`${name} ${distance}`);
    const judged = must === undefined ? '' : `, must ${must}: ${us / own >= must ? 'reached' : 'MISSED'}`;
    console.log(
      `  ${name.padEnd(32)} at most ${distance} differ: ${us.toFixed(1).padStart(9)} us, recall ${recall.toFixed(3)}, ` +
        `built in ${built.toFixed(1)} s; ours ${own.toFixed(1)} us, ${(us / own).toFixed(1)} times faster${judged}`,
    );
  }
  console.log(
    `  IndexBinaryHNSW, ${hnsw.rows} rows, 10 neighbours: ${hnsw.us.toFixed(1)} us, recall ${hnsw.recall.toFixed(3)}, ` +
      `built in ${hnsw.built.toFixed(1)} s`,
  );
}
