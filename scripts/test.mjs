/**
 * `npm test`: the same setup as `npm start` and the module for browsers, then the checks, every Rust test, and the TypeScript
 * tests of the quick lane.
 * `npm test -- ARGS`: instead of these the TypeScript tests that the arguments of vitest select.
 */
import { buildWasm } from './build-wasm.mjs';
import { check } from './check.mjs';
import { setup } from './setup.mjs';
import { runStages } from './stages.mjs';
import { testRust } from './test-rust.mjs';
import { testLane } from './test-typescript.mjs';

runStages([
  { name: 'setup', work: setup },
  { name: 'module for browsers', work: buildWasm },
  { name: 'check', work: () => check() },
  { name: 'Rust tests', work: () => testRust() },
  { name: 'TypeScript tests', work: () => testLane('quick', process.argv.slice(2)) },
]);
