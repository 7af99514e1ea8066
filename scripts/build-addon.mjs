/**
 * Compiles the native addon and, on Linux, the library that keeps programs loaded into `native/`, and shows the progress:
 * crates compiled of total. A process of its own, because the other setup scripts are synchronous. On failure it prints what
 * the compiler said.
 *
 * `npm run build:inner` compiles our own crates as the tests do (`.cargo/inner.toml`): in seconds, with debug assertions and
 * line numbers, but slow kernels. The next `npm start` replaces that addon.
 */
import { spawn } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { attempt, CARGO_OPTIONS, forget, onPath, root } from './lib.mjs';
import { copyLmdb } from './pack-lmdb.mjs';
import { platformPackage } from './prebuilt.mjs';
import { addonProfile, INNER } from './setup.mjs';

const isInner = process.argv.includes('--inner');
const NAPI = path.join(root, 'node_modules', '.bin', 'napi');
const ARGS = [
  ...['build', '--platform', '--release', '--manifest-path', path.join('crates', 'native', 'Cargo.toml')],
  ...[
    '--package',
    'isccd-native',
    '--output-dir',
    'native',
    '--no-js',
    '--dts',
    'index.d.ts',
    '--',
    ...CARGO_OPTIONS,
    ...(isInner ? INNER : []),
  ],
];
/** Without a terminal, one line per this share of the crates. */
const STEP = 0.1;

/** Cargo shows its progress bar only on terminals unless told otherwise. */
const env = { ...process.env, CARGO_TERM_PROGRESS_WHEN: 'always', CARGO_TERM_PROGRESS_WIDTH: '100' };

const started = performance.now();
const child = spawn(NAPI, ARGS, {
  cwd: root,
  env,
  stdio: ['ignore', 'pipe', 'pipe'],
  shell: process.platform === 'win32',
});
const said = [];
let shown = -1;
for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read);
child.on('error', (error) => end(1, error.message));
child.on('close', (status) => end(status === 0 ? toolHost() : (status ?? 1)));
console.error('isccd: compiling the native addon; the first time takes several minutes');

/** Cargo rewrites its bar with carriage returns; all other lines are kept for the case of a failure. */
function read(text) {
  for (const line of text.split(/[\r\n]+/)) {
    const bar = /Building\b.*?\]\s+(\d+)\/(\d+)/.exec(line);
    if (bar !== null) show(Number(bar[1]), Number(bar[2]));
    else if (line.trim() !== '') said.push(line);
  }
}

function show(done, total) {
  const seconds = Math.round((performance.now() - started) / 1000);
  const line = `isccd: compiled ${done} of ${total} crates (${seconds} s)`;
  if (process.stderr.isTTY) process.stderr.write(`\r${line} `);
  else if (done / total >= shown + STEP) {
    shown = done / total;
    console.error(line);
  }
}

/** Compiles the library that keeps programs loaded. Returns the exit status. */
function toolHost() {
  if (process.platform !== 'linux') return 0;
  const profile = addonProfile();
  const built = attempt('cargo', ['build', '--package', 'isccd-tool-host', ...CARGO_OPTIONS, ...profile], {
    env: { ...process.env, ...dynamicMusl() },
  });
  if (built.status !== 0) {
    said.push(built.stderr ?? '');
    return built.status ?? 1;
  }
  const [, target = ''] = profile.includes('--target') ? profile.slice(-2) : [];
  const library = path.join(root, 'target', target, 'release', 'libisccd_tool_host.so');
  copyFileSync(library, path.join(root, 'native', `isccd-tool-host.${suffix()}.so`));
  return 0;
}

/** Rust links musl statically by default and then builds no shared library. The addon's build sets the same. */
function dynamicMusl() {
  const { RUSTFLAGS = '' } = process.env;
  return suffix().endsWith('-musl') ? { RUSTFLAGS: `${RUSTFLAGS} -C target-feature=-crt-static`.trim() } : {};
}

function end(status, message) {
  if (process.stderr.isTTY) process.stderr.write('\n');
  if (status !== 0) {
    console.error(said.filter((line) => !/^\s*(Compiling|Downloaded|Downloading)\b/.test(line)).join('\n'));
    console.error(`isccd: compiling the native addon failed${message === undefined ? '' : `: ${message}`}`);
  } else {
    copyLmdb(path.join(root, 'native'), suffix());
    if (isInner) forget('addon');
    else strip();
  }
  process.exitCode = status;
}

/** This platform in the names of binaries, such as `linux-x64-gnu`. */
function suffix() {
  return platformPackage().replace(/^.*native-/, '');
}

/** Removes symbols that nothing reads: 6 of 44 MB. The compiler's package brings `strip`. */
function strip() {
  if (process.platform !== 'linux' || !onPath('strip')) return;
  const folder = path.join(root, 'native');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.node')))
    attempt('strip', ['--strip-unneeded', path.join(folder, name)]);
}
