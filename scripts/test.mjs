/** `npm test`: the same setup as `npm start`, then the checks and every Rust and TypeScript test. */
import { check } from './check.mjs';
import { setup } from './setup.mjs';
import { testRust } from './test-rust.mjs';
import { testTypescript } from './test-typescript.mjs';

const stages = [
  ['setup', setup],
  ['check', () => check()],
  ['Rust tests', testRust],
  ['TypeScript tests', () => testTypescript(process.argv.slice(2))],
];

for (const [name, stage] of stages) {
  const start = performance.now();
  console.log(`== ${name}`);
  stage();
  console.log(`== ${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
}
