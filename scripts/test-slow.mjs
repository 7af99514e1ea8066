/**
 * `npm run test:slow`: the Rust tests with the optimised kernels that users get, and the TypeScript tests that `npm test`
 * leaves out, as `scripts/test-lanes.mjs` lists them. `npm run test:slow -- ARGS`: instead of these the TypeScript tests
 * that the arguments of vitest select.
 */
import { root } from './lib.mjs';
import { addonProfile, setup } from './setup.mjs';
import { runStages } from './stages.mjs';
import { testRust } from './test-rust.mjs';
import { testLane } from './test-typescript.mjs';

const args = process.argv.slice(2);

runStages([
  { name: 'setup', work: setup },
  ...(args.length === 0
    ? [{ name: 'Rust tests as shipped', work: () => testRust(root, addonProfile()) }]
    : []),
  { name: 'slow TypeScript tests', work: () => testLane('slow', args) },
]);
