/** `npm test`: the same set-up as `npm start`, then the checks and every test, Rust and TypeScript. */
import { check } from './check.mjs';
import { run } from './lib.mjs';
import { asTheAddon, bin, setup } from './setup.mjs';

const stages = [
  ['set-up', setup],
  ['check', () => check()],
  ['Rust tests', () => run('cargo', ['test', '--workspace', '--locked', '--quiet', ...asTheAddon()])],
  ['TypeScript tests', () => run(bin('vitest'), ['run', ...process.argv.slice(2)])],
];

for (const [name, stage] of stages) {
  const start = performance.now();
  console.log(`== ${name}`);
  stage();
  console.log(`== ${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
}
