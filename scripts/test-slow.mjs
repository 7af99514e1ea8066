/**
 * `npm run test:slow`: the tests that `npm test` leaves out, as `scripts/test-lanes.mjs` lists them. `npm run test:slow --
 * ARGS`: those of them that the arguments of vitest select.
 */
import { setup } from './setup.mjs';
import { runStages } from './stages.mjs';
import { testLane } from './test-typescript.mjs';

runStages([
  { name: 'setup', work: setup },
  { name: 'slow TypeScript tests', work: () => testLane('slow', process.argv.slice(2)) },
]);
