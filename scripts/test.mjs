/** `npm test`: the same set-up as `npm start`, then the checks and every test, Rust and TypeScript. */
import { check } from './check.mjs';
import { attempt, run } from './lib.mjs';
import { bin, setup } from './setup.mjs';

const stages = [
  ['set-up', setup],
  ['check', () => check()],
  ['Rust tests', () => run('cargo', ['test', '--workspace', '--locked', '--quiet', ...asTheAddon()])],
  ['TypeScript tests', () => run(bin('vitest'), ['run', ...process.argv.slice(2)])],
];

/**
 * The profile and the platform that the set-up builds for, so that the hundreds of crates below ours are compiled once.
 * `cargo test` alone checks more (overflow, `debug_assert`).
 */
function asTheAddon() {
  const host = /^host: (.+)$/m.exec(attempt('rustc', ['-vV']).stdout ?? '')?.[1];
  return host === undefined ? ['--release'] : ['--release', '--target', host];
}

for (const [name, stage] of stages) {
  const start = performance.now();
  console.log(`== ${name}`);
  stage();
  console.log(`== ${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
}
