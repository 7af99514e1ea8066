/** What users install: packed as for publishing, installed without network into an empty folder. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '..');
const photo = path.join(root, 'test/fixtures/codes/files/photo-q85_a.jpg');

describe('the published packages', () => {
  let folder = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-package-'));
    const packs = path.join(folder, 'packs');
    await run(process.execPath, ['scripts/pack.mjs', packs], { cwd: root });
    const tarballs = (await readdir(packs)).map((name) => path.join(packs, name));
    await run('npm', ['init', '--yes'], { cwd: folder });
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], { cwd: folder });
  }, 300_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const isccd = (...args: string[]) =>
    run(path.join(folder, 'node_modules/.bin/isccd'), args, { cwd: folder });

  it('bring a command that explains a code', async () => {
    const { stdout } = await isccd('explain', 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2', '--json');
    expect(JSON.parse(stdout).readable).toBe('ISCC-SUM-V0-DI-158c1cf44cfd82083585f85fc3fbcc0d');
  });

  it('bring a command that makes a code of a real file', async () => {
    const { stdout } = await isccd('code', photo);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ filename: 'photo-q85_a.jpg', mode: 'image', mediatype: 'image/jpeg' });
    expect(result.iscc).toMatch(/^ISCC:KE/);
  });

  it('keep the addon out of the main package', async () => {
    const main = await readdir(path.join(folder, 'node_modules/isccd'));
    expect(main).toContain('dist');
    expect(main).not.toContain('native');
  });
});
