/** `npm run test:rust -- ARGS`: `cargo test ARGS` with the settings of `.cargo/inner.toml`. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { attempt, CARGO_OPTIONS, exists, root } from './lib.mjs';
import { recordRaces } from './races.mjs';
import { addonProfile, innerProfile } from './setup.mjs';
import { remember } from './test-seconds.mjs';

/**
 * The package that is selected next to single crates. Without it, cargo would compile dependencies again, with the features
 * that these crates alone ask for.
 */
const UNIFIER = 'addon-dependencies';
/** The crates whose `unsafe` code the optimiser could break. */
const KERNELS = ['iscc-columns', 'iscc-image', 'iscc-index', 'iscc-units'];
/** More failed tests than this are not a matter of load. */
const AGAIN_MAX = 4;

/**
 * A test program that cargo has built.
 *
 * @typedef {object} Program
 * @property {string} name of the crate and of its target, e.g. `iscc-search all`
 * @property {string} file
 * @property {string} folder of the crate, in which its tests run
 */

/**
 * Runs all Rust tests, and the tests that failed once more. Tests run beside each other, and on a busy machine one of
 * thousands can meet a time limit of its own. Tests that needed this are listed, because each has a race to be mended.
 *
 * @param {string} folder of the workspace
 * @returns {Record<string, number>} seconds by program
 */
export function testRust(folder = root) {
  const seconds = runAll(folder, [...innerProfile(), '--workspace']);
  if (folder === root) remember(seconds);
  testExamples(folder);
  return seconds;
}

/**
 * Runs the tests of the crates with kernels as users get these: optimised, without debug assertions.
 *
 * @returns {Record<string, number>} seconds by program
 */
export function testKernels() {
  const crates = [...KERNELS, UNIFIER].flatMap((name) => ['-p', name]);
  const seconds = runAll(root, [...addonProfile(), ...crates]);
  return Object.fromEntries(Object.entries(seconds).map(([name, value]) => [`${name}, optimised`, value]));
}

/** Runs the tests of the selected crates. */
function runAll(folder, selection) {
  const seconds = {};
  const failed = programs(folder, selection).flatMap((program) => {
    const start = performance.now();
    const tests = failedTests(program);
    seconds[program.name] = (performance.now() - start) / 1000;
    return tests.map((test) => ({ program, test }));
  });
  const names = failed.map(({ program, test }) => `${program.name} ${test}`);
  if (failed.length > AGAIN_MAX) fail(names);
  if (failed.length > 0) console.log(`isccd: once more, alone: ${names.join(', ')}`);
  const again = failed.filter(({ program, test }) => !passesAlone(program, test));
  if (again.length > 0) fail(names);
  if (failed.length > 0) recordRaces(folder, names);
  return seconds;
}

/** Runs the examples of the documentation. Crates without one are left out: rustdoc would read each of them. */
function testExamples(folder) {
  const crates = path.join(folder, 'crates');
  const packages = readdirSync(crates).filter((crate) => hasExamples(path.join(crates, crate)));
  if (packages.length === 0) return;
  if (exists(path.join(crates, UNIFIER))) packages.push(UNIFIER);
  const options = [...innerProfile(), '--doc', ...packages.flatMap((name) => ['-p', name])];
  if (cargoTest(folder, options, 'inherit').status !== 0) fail(['examples']);
}

function hasExamples(crate) {
  if (readFileSync(path.join(crate, 'Cargo.toml'), 'utf8').includes('doctest = false')) return false;
  const sources = path.join(crate, 'src');
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.rs'))
    .some((name) => /^\s*\/\/[/!] ?```/m.test(readFileSync(path.join(sources, name), 'utf8')));
}

function fail(names) {
  console.error(`isccd: failed: ${names.join(', ')}`);
  process.exit(1);
}

/**
 * Builds the test programs of the selected crates.
 *
 * @returns {Program[]}
 */
function programs(folder, selection) {
  const options = [...selection, '--no-run', '--message-format=json-render-diagnostics'];
  const { status, stdout } = cargoTest(folder, options, ['inherit', 'pipe', 'inherit']);
  if (status !== 0) process.exit(status || 1);
  const messages = stdout.split('\n').filter((line) => line.startsWith('{'));
  return messages
    .map((line) => JSON.parse(line))
    .filter(({ reason, profile, executable }) => reason === 'compiler-artifact' && profile.test && executable)
    .map(({ manifest_path, target, executable }) => {
      const crate = path.dirname(manifest_path);
      return { name: `${path.basename(crate)} ${target.name}`, file: executable, folder: crate };
    });
}

/** Runs a program and prints its result. Returns the tests that failed: all of it as one if it ended without a list. */
function failedTests(program) {
  const start = performance.now();
  const { status, output } = runTests(program, ['--quiet']);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const [, counts = 'no result'] = /^test result: \w+\. (.*?);/m.exec(output) ?? [];
  console.log(`${program.name}: ${counts}, ${seconds} s`);
  if (status === 0) return [];
  console.log(output);
  // The names are listed at the end, after the output of each.
  const listed = output.split(/^failures:$/m).at(-1) ?? '';
  const names = [...listed.matchAll(/^ {4}(\S+)$/gm)].map(([, name]) => name);
  return names.length > 0 ? names : [''];
}

/** Runs one test again, or a whole program. Prints the output of a failure. */
function passesAlone(program, test) {
  const filter = test === '' ? [] : ['--exact', test];
  const { status, output } = runTests(program, ['--test-threads=1', ...filter]);
  if (status !== 0) console.log(output);
  return status === 0;
}

function runTests({ file, folder }, args) {
  const env = { ...process.env, CARGO_MANIFEST_DIR: folder };
  const result = attempt(file, args, { cwd: folder, env, maxBuffer: 1 << 30 });
  return { status: result.status, output: `${result.stdout ?? ''}${result.stderr ?? ''}` };
}

function cargoTest(cwd, options, stdio) {
  const args = ['test', ...CARGO_OPTIONS, '--quiet', ...options];
  const result = attempt('cargo', args, { cwd, stdio, maxBuffer: 1 << 30 });
  if (result.error) console.error(`isccd: cannot run cargo: ${result.error.message}`);
  return { status: result.status, stdout: result.stdout ?? '' };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = process.argv.slice(2);
  const named = options.some((option) => /^(-p|--package)/.test(option));
  const packages = named ? ['-p', UNIFIER] : ['--workspace'];
  const { status } = cargoTest(root, [...innerProfile(), ...packages, ...options], 'inherit');
  process.exit(status ?? 1);
}
