/**
 * Builds `isccd-code`, the program for machines without Node.js, and packs it: `node scripts/build-program.mjs FOLDER` writes
 * an archive, and on Linux a package for Debian. `node scripts/build-program.mjs --formula FOLDER` writes the formula for
 * Homebrew from the archives of all platforms in the folder.
 *
 * On Linux the program is static, with glibc: functions of floating-point numbers are those of the addon, so that codes of
 * SVG, Lab and sound are equal.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { attempt, CARGO_OPTIONS, root, run } from './lib.mjs';
import { innerProfile } from './setup.mjs';

const NAME = 'isccd-code';
/** It is for machines where Node.js is too large. */
const BYTES_MAX = 25_000_000;
const EXECUTABLE = process.platform === 'win32' ? `${NAME}.exe` : NAME;
/** Debian's names of architectures, by those of Node.js. */
const DEBIAN = { x64: 'amd64', arm64: 'arm64' };
/** Platforms of the formula, by their placeholder. */
const FORMULA = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
/** Same files, same archive. */
const TAR = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0'];

const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Compiles the program and returns its path. */
export function buildProgram() {
  const host = /^host: (.+)$/m.exec(attempt('rustc', ['-vV']).stdout ?? '')?.[1];
  if (host === undefined) throw new Error('rustc is missing');
  // For the target only: programs that run in the build stay dynamic.
  const flags = host.endsWith('-linux-gnu') ? { RUSTFLAGS: '-C target-feature=+crt-static' } : {};
  run('cargo', ['build', ...CARGO_OPTIONS, '--profile', 'dist', '--target', host, '--package', NAME], {
    env: { ...process.env, ...flags },
  });
  const program = path.join(root, 'target', host, 'dist', EXECUTABLE);
  if (statSync(program).size > BYTES_MAX) throw new Error(`${NAME} has more than ${BYTES_MAX} bytes`);
  return program;
}

/** Compiles the program as the tests compile their crates: quickly, linked dynamically. Returns its path. */
export function buildInnerProgram() {
  const profile = innerProfile();
  // The second package keeps the features of dependencies.
  const packages = ['--package', NAME, '--package', 'addon-dependencies'];
  run('cargo', ['build', ...CARGO_OPTIONS, ...profile, ...packages, '--quiet']);
  const at = profile.indexOf('--target');
  return path.join(root, 'target', at < 0 ? '' : profile[at + 1], 'release', EXECUTABLE);
}

/** Writes the archive of this platform and, on Linux, the package for Debian. Returns their names. */
export function packProgram(program, folder, { platform = process.platform, arch = process.arch } = {}) {
  mkdirSync(folder, { recursive: true });
  const draft = mkdtempSync(path.join(tmpdir(), 'isccd-program-'));
  try {
    const archive = `${NAME}-${manifest.version}-${platform}-${arch}.tar.gz`;
    copyFileSync(program, path.join(draft, EXECUTABLE));
    copyFileSync(path.join(root, 'LICENSE'), path.join(draft, 'LICENSE'));
    chmodSync(path.join(draft, EXECUTABLE), 0o755);
    const options = platform === 'linux' ? TAR : [];
    run('tar', [...options, '-czf', path.resolve(folder, archive), '-C', draft, EXECUTABLE, 'LICENSE']);
    if (platform !== 'linux' || DEBIAN[arch] === undefined) return [archive];
    return [archive, packDebian(draft, folder, DEBIAN[arch])];
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** A package for Debian is an `ar` archive of two `tar` archives, so that it needs none of Debian's programs. */
function packDebian(draft, folder, architecture) {
  const name = `${NAME}_${manifest.version}_${architecture}.deb`;
  const files = path.join(draft, 'data');
  const documents = path.join(files, 'usr', 'share', 'doc', NAME);
  mkdirSync(path.join(files, 'usr', 'bin'), { recursive: true, mode: 0o755 });
  mkdirSync(documents, { recursive: true, mode: 0o755 });
  copyFileSync(path.join(draft, EXECUTABLE), path.join(files, 'usr', 'bin', NAME));
  copyFileSync(path.join(draft, 'LICENSE'), path.join(documents, 'copyright'));
  chmodSync(path.join(documents, 'copyright'), 0o644);
  const control = template('ops/debian/control', { VERSION: manifest.version, ARCHITECTURE: architecture });
  writeFileSync(path.join(draft, 'control'), control);
  writeFileSync(path.join(draft, 'debian-binary'), '2.0\n');
  run('tar', [...TAR, '-czf', path.join(draft, 'control.tar.gz'), '-C', draft, './control']);
  run('tar', [...TAR, '-czf', path.join(draft, 'data.tar.gz'), '-C', files, '.']);
  const target = path.resolve(folder, name);
  rmSync(target, { force: true });
  run('ar', ['rcD', target, 'debian-binary', 'control.tar.gz', 'data.tar.gz'], { cwd: draft });
  return name;
}

/** The formula for Homebrew, with the digests of the archives in the folder. */
export function formula(folder) {
  const names = readdirSync(folder);
  const digests = FORMULA.map((platform) => {
    const archive = `${NAME}-${manifest.version}-${platform}.tar.gz`;
    if (!names.includes(archive)) throw new Error(`${folder} has no ${archive}`);
    const digest = createHash('sha256').update(readFileSync(path.join(folder, archive)));
    return [`SHA256_${platform.toUpperCase().replace('-', '_')}`, digest.digest('hex')];
  });
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '');
  const releases = `${repository}/releases/download/v${manifest.version}`;
  return template('ops/homebrew/isccd-code.rb', {
    VERSION: manifest.version,
    RELEASES: releases,
    ...Object.fromEntries(digests),
  });
}

/** A file with its placeholders, such as `@VERSION@`, replaced. */
function template(file, values) {
  const text = readFileSync(path.join(root, file), 'utf8');
  return text.replace(/@([A-Z0-9_]+)@/g, (_, name) => {
    if (values[name] === undefined) throw new Error(`${file}: unknown placeholder ${name}`);
    return values[name];
  });
}

if (process.argv[1] === import.meta.filename) {
  const [first, second] = process.argv.slice(2);
  if (first === '--formula' && second !== undefined)
    writeFileSync(path.join(second, `${NAME}.rb`), formula(second));
  else if (first !== undefined) for (const name of packProgram(buildProgram(), first)) console.log(name);
  else {
    console.error('isccd: name the folder for the archive and the package');
    process.exitCode = 2;
  }
}
