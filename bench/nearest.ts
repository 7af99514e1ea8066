/**
 * The scan kernel compared with the `usearch` crate (in one process, `cargo bench`) and with faiss (PyPI) on the same
 * rows: 10,000 and 100,000 rows of 256 bits, one thread each.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { CARGO_OPTIONS } from '../scripts/lib.mjs';
import { ARGUMENTS, QUICK } from './support/options.js';
import { peerProgram } from './support/search-servers.js';

const PEER = 'faiss-cpu';
const SECONDS_PER_CASE = 1;
const COUNTS = [10_000, 100_000];

const folder = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
try {
  const args = [
    'bench',
    '--quiet',
    ...CARGO_OPTIONS,
    '-p',
    'iscc-columns',
    '--bench',
    'nearest',
    '--',
    ...(QUICK ? ['--quick'] : []),
  ];
  const env = { ...process.env, ISCC_BENCH_VECTORS: folder };
  const ours = spawnSync('cargo', [...args, ...ARGUMENTS], { stdio: 'inherit', env });
  if (ours.status !== 0) throw new Error(`cargo bench failed (${ours.status})`);
  if (!QUICK) await runPeer();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function runPeer(): Promise<void> {
  const python = await peerProgram('python', PEER, 'numpy');
  const script = path.join(import.meta.dirname, 'support', 'faiss_peer.py');
  for (const count of COUNTS) {
    const run = promisify(execFile);
    const { stdout } = await run(python, [script, folder, String(count), String(SECONDS_PER_CASE)]);
    console.log(`\nfaiss, ${count} rows`);
    const results = JSON.parse(stdout) as Record<string, { us: number; recall: number }>;
    for (const [name, { us, recall }] of Object.entries(results)) {
      console.log(`  ${name.padEnd(32)} ${us.toFixed(1).padStart(9)} us/query  recall ${recall.toFixed(3)}`);
    }
  }
}
