/**
 * Compiles `crates/wasm` to `native/isccd.wasm`, for browsers and other engines without the addon. A machine that cannot do
 * this runs everything else: `wasmProblem` says why, and the tests of the module are skipped.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { attempt, CARGO_OPTIONS, digest, exists, forget, once, root } from './lib.mjs';

const TARGET = 'wasm32-unknown-unknown';
/** A network that swallows requests must not hold up everything else. */
const INSTALL_MS_MAX = 120_000;
/** Instructions that every browser has had since 2023. */
const RUSTFLAGS = '-C target-feature=+simd128';

export const WASM = path.join(root, 'native', 'isccd.wasm');
const PROBLEM = path.join(root, '.setup', 'wasm-problem');

/** Why the last build made no module; `undefined` if it did. */
export function wasmProblem() {
  if (exists(WASM)) return undefined;
  return exists(PROBLEM)
    ? readFileSync(PROBLEM, 'utf8')
    : 'it was not built: run node scripts/build-wasm.mjs';
}

/** Builds the module unless its sources are those of the last build. */
export function buildWasm() {
  if (!exists(WASM)) forget('wasm');
  once('wasm', digest(['crates', 'Cargo.toml', 'Cargo.lock', 'scripts/build-wasm.mjs'], isNoSource), () => {
    rmSync(WASM, { force: true });
    const problem = targetProblem() ?? compile();
    mkdirSync(path.dirname(PROBLEM), { recursive: true });
    writeFileSync(PROBLEM, problem ?? '');
    if (problem !== undefined) console.error(`isccd: the module for browsers is left out: ${problem}`);
  });
}

/** Tests of crates, and the addon's glue, are no part of the module. */
const isNoSource = (file) =>
  /^crates\/(native|fuzz|iscc-search|iscc-index|[^/]+\/(tests|benches))$/.test(file);

/** Installs the target, if rustup has not. Returns the reason of a failure. */
function targetProblem() {
  const libraries = attempt('rustc', ['--print', 'target-libdir', '--target', TARGET]);
  if (libraries.status === 0 && exists(libraries.stdout.trim())) return undefined;
  console.error(`isccd: installing the Rust target ${TARGET}`);
  const added = attempt('rustup', ['target', 'add', TARGET], { timeout: INSTALL_MS_MAX });
  if (added.status === 0) return undefined;
  const reason = added.error?.message ?? /^error: .*/m.exec(added.stderr)?.[0] ?? added.stderr.trim();
  return `rustup target add ${TARGET} failed (${reason}); install this target and run node scripts/build-wasm.mjs`;
}

function compile() {
  console.error('isccd: compiling the module for browsers');
  const selection = ['--package', 'isccd-wasm', '--target', TARGET, '--profile', 'wasm'];
  const built = attempt('cargo', ['build', ...CARGO_OPTIONS, ...selection, '--quiet'], {
    env: { ...process.env, RUSTFLAGS, CARGO_ENCODED_RUSTFLAGS: undefined },
    maxBuffer: 1 << 30,
  });
  if (built.status !== 0) return `cargo failed: ${built.error?.message ?? built.stderr.trim()}`;
  copyFileSync(path.join(root, 'target', TARGET, 'wasm', 'isccd_wasm.wasm'), WASM);
  return undefined;
}

if (process.argv[1] === import.meta.filename) {
  buildWasm();
  const problem = wasmProblem();
  if (problem !== undefined) process.exitCode = 1;
}
