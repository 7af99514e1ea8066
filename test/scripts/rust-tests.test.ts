/** The Rust tests of `npm test`: a test that failed beside others runs once more, alone. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../deploy/support/dockerfile.js';
import { run } from '../support/command.js';

const BUILD_MAX_MS = 120_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-rust-tests-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A workspace with one crate, whose test program has this body. */
async function workspace(name: string, body: string): Promise<string> {
  const root = path.join(folder, name);
  await mkdir(path.join(root, 'crates', 'one', 'src'), { recursive: true });
  await mkdir(path.join(root, 'crates', 'one', 'tests'));
  await mkdir(path.join(root, 'test'));
  await writeFile(path.join(root, 'Cargo.toml'), '[workspace]\nmembers = ["crates/one"]\nresolver = "3"\n');
  await writeFile(
    path.join(root, 'Cargo.lock'),
    'version = 4\n\n[[package]]\nname = "one"\nversion = "0.1.0"\n',
  );
  const manifest = '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2024"\n';
  await writeFile(path.join(root, 'crates', 'one', 'Cargo.toml'), manifest);
  await writeFile(path.join(root, 'crates', 'one', 'src', 'lib.rs'), '');
  await writeFile(
    path.join(root, 'crates', 'one', 'tests', 'race.rs'),
    `#[test]\nfn a_race() {\n${body}\n}\n`,
  );
  return root;
}

function testRust(root: string) {
  const script = `import { testRust } from ${JSON.stringify(path.join(ROOT, 'scripts', 'test-rust.mjs'))};
    testRust(${JSON.stringify(root)}); console.log('went on');`;
  return run(process.execPath, ['--input-type=module', '-e', script]);
}

it(
  'passes if the failed test passes alone, and names it',
  async () => {
    const mark = JSON.stringify(path.join(folder, 'mark'));
    const body = `assert!(std::fs::create_dir(${mark}).is_err(), "the first time");`;
    const root = await workspace('race', body);
    const { code, stdout } = await testRust(root);
    expect(stdout).toContain('once more, alone: one race a_race');
    expect(await readFile(path.join(root, 'test', 'races.md'), 'utf8')).toMatch(
      /^- \d{4}-\d\d-\d\d, [^:]+: one race a_race\n$/,
    );
    expect([code, stdout.trim().split('\n').at(-1)]).toEqual([0, 'went on']);
  },
  BUILD_MAX_MS,
);

it(
  'fails if the test fails again, and if nothing compiles',
  async () => {
    const [again, broken] = [
      await testRust(await workspace('fails', 'assert!(false);')),
      await testRust(await workspace('broken', 'no rust')),
    ];
    expect(again.stdout).toContain('once more, alone: one race a_race');
    expect(broken.stdout).not.toContain('once more');
    expect(broken.stderr).toContain('could not compile');
    for (const [{ code, stdout }, status] of [
      [again, 1],
      [broken, 101],
    ] as const)
      expect([code, stdout.includes('went on')]).toEqual([status, false]);
  },
  BUILD_MAX_MS,
);
