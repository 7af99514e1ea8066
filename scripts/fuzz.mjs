/**
 * `npm run fuzz -- NAME…` searches the targets of `crates/fuzz` for inputs that panic, hang or take too much memory, with
 * libFuzzer and guided by coverage; all targets without names. `--seconds=N` per target, `--seed=N`, `--file=PATH` replays
 * one input, `--list` prints the names. Prints one table and exits with 1 after a finding. Needs clang or another C++
 * compiler; the instrumented build takes several minutes, once.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { attempt, CARGO_OPTIONS, root, run } from './lib.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string' },
  },
});

/** What cargo-fuzz sets, without the address sanitizer, which needs a nightly compiler. */
const COVERAGE = [
  '-Cpasses=sancov-module',
  '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table',
  '-Cllvm-args=-sanitizer-coverage-trace-compares',
  '--cfg=fuzzing',
];
/** Inputs that take longer, or more memory, are findings. */
const LIMITS = ['-timeout=20', '-rss_limit_mb=3072', '-max_len=65536'];
const CORPORA = path.join(root, 'target', 'fuzz', 'corpora');
const FINDINGS = path.join(tmpdir(), 'isccd-fuzz-findings');

/** Builds the driver and returns its path. */
function build() {
  const host = /host: (\S+)/.exec(attempt('rustc', ['-vV']).stdout ?? '')?.[1] ?? '';
  const folder = path.join(root, 'target', 'fuzz');
  // With a target, build scripts and macros are not instrumented.
  const options = [...CARGO_OPTIONS, '--release', '--target', host, '--target-dir', folder];
  const driver = ['-p', 'fuzz', '--features', 'coverage', '--bin', 'coverage'];
  const parallel = [
    'iscc-av',
    'iscc-codec',
    'iscc-columns',
    'iscc-image',
    'iscc-index',
    'iscc-search',
    'iscc-text',
    'iscc-units',
  ].flatMap((name) => ['--config', `profile.release.package.${name}.codegen-units=16`]);
  const env = { ...process.env, RUSTFLAGS: COVERAGE.join(' ') };
  run('cargo', ['build', ...driver, ...options, ...parallel], { env });
  return path.join(folder, host, 'release', 'coverage');
}

/** Runs one target; its corpus grows from run to run. */
function fuzz(driver, name) {
  const corpus = path.join(CORPORA, name);
  mkdirSync(corpus, { recursive: true });
  mkdirSync(FINDINGS, { recursive: true });
  const artifacts = mkdtempSync(path.join(FINDINGS, `${name}-`));
  const env = { ...process.env, ISCCD_FUZZ_TARGET: name, ISCCD_FUZZ_CORPUS: corpus };
  const end = [`-max_total_time=${values.seconds}`, `-seed=${values.seed}`, '-print_final_stats=1'];
  const options = [...LIMITS, ...end, `-artifact_prefix=${artifacts}/`];
  const { status, stderr } = attempt(driver, [...options, corpus], { env, maxBuffer: 1 << 28 });
  const found = readdirSync(artifacts).map((file) => path.join(artifacts, file));
  if (found.length === 0) rmSync(artifacts, { recursive: true });
  if (status !== 0) console.error(stderr.split('\n').slice(-60).join('\n'));
  for (const file of found) console.error(`isccd: replay: npm run fuzz -- ${name} --file=${file}`);
  const runs = /number_of_executed_units:\s*(\d+)/.exec(stderr)?.[1] ?? '?';
  const coverage = [...stderr.matchAll(/cov: (\d+)/g)].at(-1)?.[1] ?? '?';
  return { name, runs, coverage, passed: status === 0 };
}

const driver = build();
const known = attempt(driver, []).stdout.trim().split('\n');
const wanted = positionals.length === 0 ? known : positionals;
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`isccd: unknown target: ${unknown.join(', ')}; known: ${known.join(', ')}`);
  process.exit(2);
}
if (values.list) console.log(known.join('\n'));
else if (values.file !== undefined) {
  const env = { ...process.env, ISCCD_FUZZ_TARGET: wanted[0] };
  run(driver, [...LIMITS, path.resolve(values.file)], { env });
} else {
  const results = wanted.map((name) => fuzz(driver, name));
  console.log('| target | runs | edges | outcome |\n|---|---|---|---|');
  for (const { name, runs, coverage, passed } of results)
    console.log(`| ${name} | ${runs} | ${coverage} | ${passed ? 'survived' : 'failed'} |`);
  if (results.some(({ passed }) => !passed)) process.exit(1);
}
