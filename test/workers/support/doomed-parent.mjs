/** Lets a worker start a program and then hang; prints both process ids. The test kills this process. */
import { fileURLToPath } from 'node:url';
import { addonFile } from '../../../dist/native.js';
import { WorkerPool } from '../../../dist/platform/workers/pool.js';

const entry = fileURLToPath(new URL('./rogue-worker.mjs', import.meta.url));
const limits = {
  workersMax: 1,
  queuedJobsMax: 1,
  jobDurationMaxMs: 600_000,
  workerRssMaxBytes: 1024 ** 3,
  poolRssMaxBytes: 8 * 1024 ** 3,
  restingRssMaxBytes: 1024 ** 3,
  jobsPerWorkerMax: 1000,
};
const rules = () => ({ read: [], open: [], write: [] });
const pool = new WorkerPool(entry, limits, { addon: addonFile, rules });
const { value, pid } = await pool.run({ act: 'child' });
const hanging = pool.run({ act: 'hang' });
console.log(JSON.stringify({ worker: pid, program: value }));
await hanging;
