/**
 * Brings a fresh clone to where it can start: system tools, npm packages, the native addon, the
 * TypeScript. Each step is skipped while nothing it depends on has changed. Only Node's built-ins.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { copyWeb } from './copy-web.mjs';
import { attempt, digest, exists, forget, once, onPath, root, run } from './lib.mjs';

/** Tools that make more possible but are not needed to start: [executable, Debian package, what for]. */
const OPTIONAL_TOOLS = [
  ['nasm', 'nasm', 'JPEG decoding with SIMD'],
  ['ffmpeg', 'ffmpeg', 'codes of audio and video'],
  ['perl', 'perl', 'writing metadata into images'],
];

/** Native binaries differ per platform and Node.js ABI. */
const platform = `${process.platform}-${process.arch}-${process.versions.modules}`;

export function setup() {
  systemTools();
  npmPackages();
  addon();
  typescript();
}

function systemTools() {
  const missing = OPTIONAL_TOOLS.filter(([executable]) => !onPath(executable));
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name);
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  // One try for one set of missing tools: a machine without a mirror should not wait at every start.
  once('tools', packages.join(' '), () => {
    const mayInstall = process.getuid?.() === 0 && onPath('apt-get') && process.env.ISCCD_SETUP_APT !== 'off';
    if (mayInstall) {
      console.error(`isccd: installing ${packages.join(', ')}`);
      const options = {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      };
      attempt('apt-get', ['update', '-qq'], options);
      attempt('apt-get', command.split(' ').slice(1).concat('-qq'), options);
    }
    for (const [executable, , purpose] of missing) {
      if (!onPath(executable))
        console.error(`isccd: without ${executable} there is no ${purpose}; on Debian: ${command}`);
    }
  });
}

function npmPackages() {
  const key = platform + digest(['package-lock.json']);
  if (!exists(path.join(root, 'node_modules', '.package-lock.json'))) forget('packages');
  // Not `npm ci`: it refuses a lock file that lacks optional packages of platforms whose binaries some
  // mirrors do not carry. `install` keeps to the lock file all the same, and --no-save leaves it alone.
  once('packages', key, () =>
    run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']),
  );
}

function addon() {
  const key =
    platform +
    digest(['Cargo.toml', 'Cargo.lock', 'crates'], (entry) => /\/(tests|benches|target)$/.test(entry));
  if (!exists(path.join(root, 'native', 'index.d.ts'))) forget('addon');
  once('addon', key, () => {
    if (!onPath('cargo')) {
      console.error(
        'isccd: the native addon is built with Rust 1.95 or newer, and there is no cargo on the PATH',
      );
      process.exit(1);
    }
    const manifest = path.join('crates', 'native', 'Cargo.toml');
    const build = [
      'build',
      '--platform',
      '--release',
      '--manifest-path',
      manifest,
      '--package',
      'isccd-native',
    ];
    run(bin('napi'), [
      ...build,
      '--output-dir',
      'native',
      '--no-js',
      '--dts',
      'index.d.ts',
      '--',
      '--locked',
    ]);
  });
}

/**
 * What makes cargo take over what the addon was built of: its profile and platform. Hundreds of crates are below ours,
 * and some of them build C libraries. (`cargo test` alone checks more: overflow, `debug_assert`.)
 */
export function asTheAddon() {
  const host = /^host: (.+)$/m.exec(attempt('rustc', ['-vV']).stdout ?? '')?.[1];
  return host === undefined ? ['--release'] : ['--release', '--target', host];
}

function typescript() {
  const key = digest([
    'src',
    'tsconfig.json',
    'package-lock.json',
    'native/index.d.ts',
    'scripts/copy-web.mjs',
  ]);
  if (!exists(path.join(root, 'dist', 'cli', 'main.js'))) forget('typescript');
  once('typescript', key, () => {
    run(bin('tsc'), ['-p', 'tsconfig.json']);
    run(bin('tsc'), ['-p', 'src/web/tsconfig.json']);
    copyWeb();
  });
}

/** An npm package's command, without npx's start-up time. */
export function bin(name) {
  return path.join(root, 'node_modules', '.bin', name);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) setup();
