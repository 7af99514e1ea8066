/**
 * `npm run test:slow`: the Rust tests of the kernels that users get, and the TypeScript tests that `npm test` leaves out, as
 * `scripts/test-lanes.mjs` lists them. `npm run test:slow -- ARGS`: instead of these the TypeScript tests that the arguments
 * of vitest select.
 */
import { setup } from './setup.mjs';
import { runStages } from './stages.mjs';
import { testKernels } from './test-rust.mjs';
import { testLane } from './test-typescript.mjs';

const args = process.argv.slice(2);

runStages([
  { name: 'setup', work: setup },
  ...(args.length === 0 ? [{ name: 'optimised Rust tests', work: testKernels }] : []),
  { name: 'slow TypeScript tests', work: () => testLane('slow', args) },
]);
