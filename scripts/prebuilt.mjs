/**
 * The published addon of this version, so that a clone starts without a compiler. It is used only if it was built of the same
 * sources, and if the tarball has the digest that the registry states. `ISCCD_SETUP_PREBUILT=off` always compiles.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { attempt, digest, root } from './lib.mjs';

const QUICK = ['--fetch-retries=0', '--fetch-timeout=5000', '--loglevel=error', '--no-audit', '--no-fund'];
const UNREACHABLE =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/;

/** A digest of everything that the addon is built of: not of tests and of other programs. */
export function addonSources() {
  const isOther = (entry) => /\/(tests|benches|target)$|^crates\/(code|fuzz|wasm)$/.test(entry);
  return digest(['Cargo.toml', 'Cargo.lock', 'crates'], isOther);
}

/** Name of the package with the addon for this machine. */
export function platformPackage() {
  const { napi } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const suffix = { linux: isMusl() ? '-musl' : '-gnu', win32: '-msvc' }[process.platform] ?? '';
  return `${napi.packageName}-${process.platform}-${process.arch}${suffix}`;
}

function isMusl() {
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

/**
 * Looks the addon up in npm's registry, in about a second.
 *
 * @returns {{ state: 'found', spec: string, integrity: string } | { state: 'none' | 'off' } | { state: 'unreachable', reason: string }}
 */
export function findPrebuilt({ env = process.env } = {}) {
  if (env.ISCCD_SETUP_PREBUILT === 'off') return { state: 'off' };
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const spec = `${platformPackage()}@${version}`;
  const asked = attempt('npm', ['view', spec, 'dist.integrity', 'isccdSources', '--json', ...QUICK], { env });
  const reason = UNREACHABLE.exec(`${asked.stderr}${asked.stdout}`)?.[1];
  if (asked.status !== 0) return reason === undefined ? { state: 'none' } : { state: 'unreachable', reason };
  const { 'dist.integrity': integrity, isccdSources } = parsed(asked.stdout);
  return integrity !== undefined && isccdSources === addonSources()
    ? { state: 'found', spec, integrity }
    : { state: 'none' };
}

/** npm prints nothing if no field has a value, and only the value if one has. */
function parsed(text) {
  const value = text.trim() === '' ? {} : JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : {};
}

/** Downloads a found addon into `folder`. Returns the reason if it can't be used. */
export function fetchPrebuilt({ spec, integrity }, folder, { env = process.env } = {}) {
  const draft = mkdtempSync(path.join(tmpdir(), 'isccd-addon-'));
  try {
    const packed = attempt('npm', ['pack', spec, '--pack-destination', draft, ...QUICK], { env });
    if (packed.status !== 0) return firstLine(packed.stderr);
    const [name] = readdirSync(draft);
    const tarball = path.join(draft, name);
    if (!hasDigest(readFileSync(tarball), integrity)) return 'its digest differs from that of the registry';
    const unpacked = attempt(
      'npm',
      ['install', '--prefix', draft, '--ignore-scripts', '--no-save', ...QUICK, tarball],
      {
        env,
      },
    );
    if (unpacked.status !== 0) return firstLine(unpacked.stderr);
    mkdirSync(folder, { recursive: true });
    const from = path.join(draft, 'node_modules', ...platformPackage().split('/'));
    for (const file of readdirSync(from).filter((file) =>
      /^isccd\..*\.node$|^isccd-tool-host\..*\.so$|^index\.d\.ts$/.test(file),
    ))
      cpSync(path.join(from, file), path.join(folder, file));
    return undefined;
  } finally {
    rmSync(draft, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
}

/** Whether bytes have the strongest digest of a subresource-integrity text, such as `sha512-…`. */
function hasDigest(bytes, integrity) {
  const [, algorithm, expected] = /(?:^|\s)(sha512)-([^\s?]+)/.exec(integrity) ?? [];
  return algorithm !== undefined && createHash(algorithm).update(bytes).digest('base64') === expected;
}

function firstLine(text) {
  return text.trim().split('\n')[0];
}
