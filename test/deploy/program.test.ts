/** The packages of `isccd-code`: the archive, the package for Debian, and the formula for Homebrew. */
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildInnerProgram, formula, packProgram } from '../../scripts/build-program.mjs';
import { onPath } from '../../scripts/lib.mjs';
import { run } from '../support/command.js';

const BUILD_MS_MAX = 900_000;
const CODE = 'ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY';

let folder = '';
let program = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-program-test-'));
  program = buildInnerProgram();
  return () => rm(folder, { recursive: true, force: true });
}, BUILD_MS_MAX);

it.skipIf(process.platform !== 'linux')('holds the program, with the same bytes each time', async () => {
  const names = packProgram(program, folder);
  expect(names).toHaveLength(2);
  const digests = async () =>
    Promise.all(names.map(async (name) => digestOf(await readFile(path.join(folder, name)))));
  const first = await digests();
  const [archive = '', debian = ''] = names;
  const { stdout } = await run('tar', ['-xzf', path.join(folder, archive), '-C', folder, '-v']);
  expect(stdout.split('\n').filter(Boolean)).toEqual(['isccd-code', 'LICENSE']);
  await expectWorks(path.join(folder, 'isccd-code'));
  packProgram(program, folder);
  expect(await digests()).toEqual(first);
  if (!onPath('dpkg-deb')) return;
  const control = await run('dpkg-deb', ['--field', path.join(folder, debian), 'Package', 'Recommends']);
  expect(control.stdout).toBe('Package: isccd-code\nRecommends: ffmpeg\n');
  await run('dpkg-deb', ['--extract', path.join(folder, debian), path.join(folder, 'root')]);
  await expectWorks(path.join(folder, 'root/usr/bin/isccd-code'));
});

it('are named with their digests by the formula', async () => {
  const version = /\d+\.\d+\.\d+/.exec((await run(program, ['--version'])).stdout)?.[0];
  const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
  const nameOf = (platform: string) => `isccd-code-${version}-${platform}.tar.gz`;
  expect(() => formula(path.join(folder, '..'))).toThrow('has no isccd-code-');
  for (const platform of platforms) await writeFile(path.join(folder, nameOf(platform)), platform);
  const text = formula(folder);
  for (const platform of platforms) {
    expect(text).toContain(`/releases/download/v${version}/${nameOf(platform)}"`);
    expect(text).toContain(`sha256 "${digestOf(platform)}"`);
  }
  expect(text).not.toMatch(/@[A-Z0-9_]+@/);
});

async function expectWorks(file: string): Promise<void> {
  await chmod(file, 0o755);
  const { code, stdout } = await run(file, ['explain', CODE]);
  expect([code, stdout.includes(CODE)]).toEqual([0, true]);
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
