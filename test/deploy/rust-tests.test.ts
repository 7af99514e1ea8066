/** The Rust tests of `npm test`: a program that failed beside others runs once more, alone. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/command.js';
import { ROOT } from './support/dockerfile.js';

const BUILD_MAX_MS = 120_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-rust-tests-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A workspace with one crate, whose test program has this body. */
async function workspace(name: string, body: string): Promise<string> {
  const root = path.join(folder, name);
  await mkdir(path.join(root, 'one', 'src'), { recursive: true });
  await mkdir(path.join(root, 'one', 'tests'));
  await writeFile(path.join(root, 'Cargo.toml'), '[workspace]\nmembers = ["one"]\nresolver = "3"\n');
  await writeFile(
    path.join(root, 'Cargo.lock'),
    'version = 4\n\n[[package]]\nname = "one"\nversion = "0.1.0"\n',
  );
  const manifest = '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2024"\n';
  await writeFile(path.join(root, 'one', 'Cargo.toml'), manifest);
  await writeFile(path.join(root, 'one', 'src', 'lib.rs'), '');
  await writeFile(path.join(root, 'one', 'tests', 'race.rs'), `#[test]\nfn race() {\n${body}\n}\n`);
  return root;
}

function testRust(root: string) {
  const script = `import { testRust } from ${JSON.stringify(path.join(ROOT, 'scripts', 'test-rust.mjs'))};
    testRust(${JSON.stringify(root)}); console.log('went on');`;
  return run(process.execPath, ['--input-type=module', '-e', script]);
}

it(
  'passes if the failed program passes alone, and names it',
  async () => {
    const mark = JSON.stringify(path.join(folder, 'mark'));
    const body = `assert!(std::fs::create_dir(${mark}).is_err(), "the first time");`;
    const { code, stdout } = await testRust(await workspace('race', body));
    expect(stdout).toContain('repair the race in: --test race');
    expect([code, stdout.trim().split('\n').at(-1)]).toEqual([0, 'went on']);
  },
  BUILD_MAX_MS,
);

it(
  'fails if the program fails again, and if nothing compiles',
  async () => {
    const [again, broken] = [
      await testRust(await workspace('fails', 'assert!(false);')),
      await testRust(await workspace('broken', 'no rust')),
    ];
    expect(again.stdout).toContain('once more, alone: --test race');
    expect(broken.stdout).not.toContain('once more');
    expect(broken.stderr).toContain('could not compile');
    for (const { code, stdout } of [again, broken])
      expect([code, stdout.includes('went on')]).toEqual([101, false]);
  },
  BUILD_MAX_MS,
);
