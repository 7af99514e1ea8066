/** The README promises Rust 1.95. Dependencies declare a newer one than they need, so cargo needs an option. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CARGO_OPTIONS } from '../../scripts/lib.mjs';
import { run } from '../support/command.js';
import { ROOT } from './support/dockerfile.js';

interface Package {
  readonly name: string;
  readonly rust_version: string | null;
}

async function packages(): Promise<readonly Package[]> {
  const args = ['metadata', '--locked', '--format-version', '1'];
  const { code, stdout, stderr } = await run('cargo', args, { cwd: ROOT });
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { packages: readonly Package[] }).packages;
}

/** Whether a version `1.95` or `1.95.0` is newer than another. */
function isNewer(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major > otherMajor || (major === otherMajor && minor > otherMinor);
}

it('only crates that were tried with the Rust of the README declare a newer one', async () => {
  const cargoToml = await readFile(path.join(ROOT, 'Cargo.toml'), 'utf8');
  const minimum = /^rust-version = "([\d.]+)"$/m.exec(cargoToml)?.[1] ?? '';
  expect(await readFile(path.join(ROOT, 'README.md'), 'utf8')).toContain(`needs Rust ${minimum}`);
  const newer = (await packages()).filter(
    ({ rust_version: version }) => version !== null && isNewer(version, minimum),
  );
  expect(newer.map(({ name }) => name).sort()).toEqual(['c2pa', 'c2pa_raw_crypto']);
});

it('the options of the scripts let cargo compile a crate that declares a newer Rust', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-rust-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(path.join(folder, 'src'));
  await writeFile(path.join(folder, 'src', 'lib.rs'), '');
  const lines = [
    '[package]',
    'name = "newer"',
    'version = "1.0.0"',
    'edition = "2024"',
    'rust-version = "1.9999"',
  ];
  await writeFile(path.join(folder, 'Cargo.toml'), lines.join('\n'));
  await run('cargo', ['generate-lockfile', '--offline'], { cwd: folder });
  const refused = await run('cargo', ['check', '--locked', '--offline'], { cwd: folder });
  expect(refused.stderr).toContain('requires rustc 1.9999');
  const { code, stderr } = await run('cargo', ['check', ...CARGO_OPTIONS, '--offline'], { cwd: folder });
  expect(code, stderr).toBe(0);
});

it('each script and benchmark that compiles Rust uses these options', async () => {
  const compiling: string[] = [];
  const without: string[] = [];
  for (const folder of ['scripts', 'bench']) {
    for (const name of await readdir(path.join(ROOT, folder))) {
      if (!/\.(mjs|ts)$/.test(name)) continue;
      const text = await readFile(path.join(ROOT, folder, name), 'utf8');
      if (!/'(cargo|napi)'/.test(text)) continue;
      if (!/\[\s*(\.\.\.\[)?'(build|test|check|clippy|bench)',/.test(text)) continue;
      compiling.push(name);
      if (!text.includes('...CARGO_OPTIONS')) without.push(name);
    }
  }
  expect(compiling.length).toBeGreaterThan(6);
  expect(without).toEqual([]);
});
