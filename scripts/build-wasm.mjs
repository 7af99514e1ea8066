/**
 * Compiles `crates/wasm` to `native/isccd.wasm`, for browsers and other engines without the addon. A machine that cannot do
 * this runs everything else: `wasmProblem` says why, and the tests of the module are skipped.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { attempt, CARGO_OPTIONS, digest, exists, forget, once, root } from './lib.mjs';
import { buildLibjpeg, compilerProblem } from './libjpeg-wasm.mjs';

const TARGET = 'wasm32-unknown-unknown';
/** A network that swallows requests must not hold up everything else. */
const INSTALL_MS_MAX = 120_000;
/** Instructions that every browser has had since 2023. */
const RUSTFLAGS = '-C target-feature=+simd128';

export const WASM = path.join(root, 'native', 'isccd.wasm');
const PROBLEM = path.join(root, '.setup', 'wasm-problem');
const JPEG_PROBLEM = path.join(root, '.setup', 'wasm-jpeg-problem');
const SOURCES = ['crates', 'Cargo.toml', 'Cargo.lock', 'scripts/build-wasm.mjs', 'scripts/libjpeg-wasm.mjs'];

/** Why the last build made no module; `undefined` if it did. */
export function wasmProblem() {
  if (exists(WASM)) return undefined;
  return exists(PROBLEM)
    ? readFileSync(PROBLEM, 'utf8')
    : 'it was not built: run node scripts/build-wasm.mjs';
}

/** Why the module of the last build decodes no JPEG; `undefined` if it does. */
export function wasmJpegProblem() {
  const problem = exists(JPEG_PROBLEM) ? readFileSync(JPEG_PROBLEM, 'utf8') : '';
  return wasmProblem() ?? (problem === '' ? undefined : problem);
}

/** Builds the module unless its sources are those of the last build. */
export function buildWasm() {
  if (!exists(WASM)) forget('wasm');
  const noCompiler = compilerProblem();
  once('wasm', digest(SOURCES, isNoSource) + (noCompiler === undefined ? ' jpeg' : ''), () => {
    rmSync(WASM, { force: true });
    const { problem: noJpeg, links } = noCompiler === undefined ? buildLibjpeg() : { problem: noCompiler };
    const problem = targetProblem() ?? compile(links);
    mkdirSync(path.dirname(PROBLEM), { recursive: true });
    writeFileSync(PROBLEM, problem ?? '');
    writeFileSync(JPEG_PROBLEM, noJpeg ?? '');
    if (problem !== undefined) console.error(`isccd: the module for browsers is left out: ${problem}`);
    else if (noJpeg !== undefined) console.error(`isccd: the module for browsers has no JPEG: ${noJpeg}`);
    copyModule();
  });
}

/** Puts the module next to the pages, which send files to the server without it. */
export function copyModule() {
  const pages = path.join(root, 'dist', 'console');
  const copy = path.join(pages, path.basename(WASM));
  if (exists(WASM) && exists(pages)) copyFileSync(WASM, copy);
  else rmSync(copy, { force: true });
}

/** Tests of crates, and the addon's glue, are no part of the module. */
const isNoSource = (file) =>
  /^crates\/(native|code|fuzz|iscc-search|iscc-index|[^/]+\/(tests|benches))$/.test(file);

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

/** @param links what links libjpeg-turbo; without it, the module has no JPEG */
function compile(links) {
  console.error('isccd: compiling the module for browsers');
  const selection = ['--package', 'isccd-wasm', '--target', TARGET, '--profile', 'wasm'];
  const features = links === undefined ? [] : ['--features', 'jpeg'];
  // Flags of the last crate only: as flags of all, they would compile every crate again.
  const linked = (links ?? []).flatMap((argument) => ['-C', `link-arg=${argument}`]);
  const command = ['rustc', ...CARGO_OPTIONS, ...selection, ...features, '--quiet', '--', ...linked];
  const built = attempt('cargo', command, {
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
