/** `npm run test:rust -- ARGS`: `cargo test ARGS` in the addon's build profile, so that dependencies are not compiled again. */

import { fileURLToPath } from 'node:url';
import { attempt, root } from './lib.mjs';
import { addonProfile } from './setup.mjs';

/** More failed programs than this are not a matter of load. */
const AGAIN_MAX = 4;

/**
 * Runs all Rust tests, and the test programs that failed once more. Tests run beside each other, and on a busy machine one
 * of thousands can meet a time limit of its own. Programs that needed this are named, because each has a race to be mended.
 */
export function testRust(folder = root) {
  const first = cargoTest(folder, ['--workspace', '--no-fail-fast']);
  if (first.status === 0) return;
  const failed = failedPrograms(first.stderr);
  if (failed.length === 0 || failed.length > AGAIN_MAX) process.exit(first.status || 1);
  console.log(`isccd: once more, alone: ${failed.join(', ')}`);
  for (const program of failed) {
    const { status } = cargoTest(folder, [...program.split(' '), '--', '--test-threads=1']);
    if (status !== 0) process.exit(status || 1);
  }
  console.log(`isccd: passed alone, but failed beside others; repair the race in: ${failed.join(', ')}`);
}

/** The test programs that cargo lists at its end, each as options of cargo: `-p iscc-search --test churn`. */
function failedPrograms(output) {
  return [...output.matchAll(/^ {4}`(-[^`]+)`$/gm)].map(([, options]) => options);
}

function cargoTest(cwd, options) {
  const args = ['test', '--locked', '--quiet', ...addonProfile(), ...options];
  const result = attempt('cargo', args, { cwd, stdio: ['inherit', 'inherit', 'pipe'], maxBuffer: 1 << 30 });
  process.stderr.write(result.stderr ?? '');
  if (result.error) console.error(`isccd: cannot run cargo: ${result.error.message}`);
  return { status: result.status, stderr: result.stderr ?? '' };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = process.argv.slice(2);
  const named = options.some((option) => /^(-p|--package)/.test(option));
  process.exit(cargoTest(root, named ? options : ['--workspace', ...options]).status ?? 1);
}
