/**
 * Compiles libjpeg-turbo, the same sources as those of the addon, for `crates/wasm`. It needs clang and a C library for
 * WebAssembly, which are installed where Debian's packages may be. Without them the module has no JPEG.
 */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { attempt, exists, installDebian, once, onPath, root } from './lib.mjs';

const PACKAGES = ['clang', 'wasi-libc', 'libclang-rt-dev-wasm32'];
const TARGET = 'wasm32-wasi';
const LIBC = `/usr/lib/${TARGET}/libc.a`;
const SOURCES = path.join(root, 'crates', 'wasm', 'libjpeg');
const BUILT = path.join(root, 'target', 'libjpeg-wasm');
/** Functions that may end with an error inside the library: see `attempt.c`. */
const ATTEMPTED = ['tj3DecompressHeader', 'tj3Decompress8'];
/** Of the C library, which takes memory that Rust has taken as well: see `heap.rs`. */
const HEAP = ['malloc', 'calloc', 'free'];
/**
 * SIMD128 is for the compiler's own vectors: the library has no kernels for it. Nothing reads the environment. As on x86-64, the
 * decoder reads 8 bytes ahead, which decides what it says of damaged files; a 32-bit platform does so if it is called x32.
 */
const FLAGS = ['-O3', '-msimd128', '-D__x86_64__', '-DNO_GETENV', '-DNO_PUTENV', '-isystem', SOURCES];

/** Installs the compiler, if this machine allows it. Returns why libjpeg-turbo cannot be compiled. */
export function compilerProblem() {
  if (isComplete()) return undefined;
  once('wasm-compiler', PACKAGES.join(' '), () => installDebian(PACKAGES));
  if (isComplete()) return undefined;
  return `JPEG needs clang, cmake and a C library for WebAssembly; on Debian: apt-get install ${PACKAGES.join(' ')} cmake`;
}

function isComplete() {
  return onPath('clang') && onPath('cmake') && exists(LIBC) && exists(builtins());
}

/** The functions that clang's code calls, such as arithmetic of 128 bits. */
function builtins() {
  return attempt('clang', [`--target=${TARGET}`, '--print-libgcc-file-name']).stdout?.trim() ?? '';
}

/** Compiles the library. Returns what links it, or why it failed. */
export function buildLibjpeg() {
  rmSync(BUILT, { recursive: true, force: true });
  mkdirSync(BUILT, { recursive: true });
  const sources = path.join(vendored(), 'src');
  const [attempted, inRange] = ['attempt', 'range'].map((name) => path.join(BUILT, `${name}.o`));
  const compiled = (name) => ['-c', path.join(SOURCES, `${name}.c`), '-o', path.join(BUILT, `${name}.o`)];
  const headers = ['-I', sources, '-I', BUILT];
  const renamed = [
    ...ATTEMPTED.map((name) => `-D${name}=inner_${name}`),
    ...HEAP.map((name) => `-D${name}=isccd_${name}`),
  ];
  const compiler = [
    ['CMAKE_SYSTEM_NAME', 'Generic'],
    ['CMAKE_SYSTEM_PROCESSOR', 'wasm32'],
    ['CMAKE_C_COMPILER', 'clang'],
    ['CMAKE_C_COMPILER_TARGET', TARGET],
    // There is nothing that could link and run a program.
    ['CMAKE_TRY_COMPILE_TARGET_TYPE', 'STATIC_LIBRARY'],
    ['CMAKE_BUILD_TYPE', 'Release'],
    ['CMAKE_C_FLAGS', [...FLAGS, ...renamed].map((flag) => `"${flag}"`).join(' ')],
    ['WITH_SIMD', '0'],
    ['ENABLE_SHARED', '0'],
  ];
  const steps = [
    ['cmake', ['-S', vendored(), '-B', BUILT, ...compiler.map(([name, value]) => `-D${name}=${value}`)]],
    ['cmake', ['--build', BUILT, '--target', 'turbojpeg-static', '--parallel', '2']],
    ['clang', [`--target=${TARGET}`, ...FLAGS, ...compiled('attempt')]],
    ['clang', [`--target=${TARGET}`, ...FLAGS, ...headers, ...compiled('range')]],
  ];
  for (const [command, args] of steps) {
    const { status, error, stderr } = attempt(command, args, { maxBuffer: 1 << 28 });
    if (status !== 0) return { problem: `${command} failed: ${error?.message ?? stderr.trim()}` };
  }
  // An archive of Debian's ar has no index of symbols for WebAssembly, so all of it is read; what is not called is dropped.
  const library = path.join(BUILT, 'libturbojpeg.a');
  const whole = ['--whole-archive', library, '--no-whole-archive'];
  return { links: ['--wrap=jpeg_idct_islow', attempted, inRange, ...whole, LIBC, builtins()] };
}

/** The sources that the crate of the addon brings. */
function vendored() {
  const { stdout } = attempt('cargo', ['metadata', '--locked', '--format-version', '1'], {
    maxBuffer: 1 << 28,
  });
  const { manifest_path } = JSON.parse(stdout).packages.find(({ name }) => name === 'turbojpeg-sys');
  return path.join(path.dirname(manifest_path), 'libjpeg-turbo');
}
