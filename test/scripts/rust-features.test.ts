/** The Rust tests link the dependencies that the addon was built of. With other features they would be built again. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../deploy/support/dockerfile.js';
import { run } from '../support/command.js';

/** Dependencies with version and features, one a line. */
async function dependencies(...options: readonly string[]): Promise<readonly string[]> {
  const args = ['tree', '--locked', '--prefix', 'none', '-f', '{p} {f}', ...options];
  const { code, stdout, stderr } = await run('cargo', args, { cwd: ROOT });
  expect(code, stderr).toBe(0);
  return [...new Set(stdout.split('\n').map((line) => line.replace(/ \(\*\)$/, '')))].filter(
    (line) => line !== '',
  );
}

it('the addon and the tests of all crates use the same features of each dependency', async () => {
  const addon = await dependencies('-p', 'isccd-native', '-e', 'normal,build');
  const tests = await dependencies('--workspace', '-e', 'normal,build,dev');
  expect(addon.length).toBeGreaterThan(100);
  expect(addon.filter((line) => !tests.includes(line))).toEqual([]);
});

it('the tests of one crate use them, too', async () => {
  const addon = await dependencies('-p', 'isccd-native', '-e', 'normal,build');
  const one = await dependencies('-p', 'iscc-codec', '-p', 'addon-dependencies', '-e', 'normal,build,dev');
  const own = (line: string) => line.includes(`(${ROOT}/crates/`);
  expect(addon.filter((line) => !one.includes(line) && !own(line) && !/^napi-build /.test(line))).toEqual([]);
});

it('every crate has the settings of the inner loop', () => {
  const settings = readFileSync(path.join(ROOT, '.cargo/inner.toml'), 'utf8');
  const manifests = readdirSync(path.join(ROOT, 'crates')).map((crate) =>
    readFileSync(path.join(ROOT, 'crates', crate, 'Cargo.toml'), 'utf8'),
  );
  const names = manifests.map((manifest) => /^name = "(.+)"$/m.exec(manifest)?.[1]);
  const listed = [...settings.matchAll(/^\[profile\.release\.package\.(.+)\]$/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(names.sort());
});

it('a crate that replaces a dependency is compiled once for the addon and the tests', () => {
  const workspace = readFileSync(path.join(ROOT, 'Cargo.toml'), 'utf8');
  const settings = readFileSync(path.join(ROOT, '.cargo/inner.toml'), 'utf8');
  const [, patches = ''] = /^\[patch\.crates-io\]\n((?:.+\n)*)/m.exec(workspace) ?? [];
  const replaced = [...patches.matchAll(/^(\S+) = \{ path = "(.+)" \}$/gm)];
  expect(replaced.length).toBeGreaterThan(0);
  const [, excluded = ''] = /^exclude = \[(.*)\]$/m.exec(workspace) ?? [];
  for (const [, name, folder] of replaced) {
    // Clippy compiles the members of the workspace, and cargo would compile everything above this crate again for that.
    expect(excluded).toContain(`"${folder}"`);
    expect(settings).toContain(`[profile.release.package.${name}]\nincremental = false\n`);
  }
});
