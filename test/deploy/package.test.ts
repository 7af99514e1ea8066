/**
 * The published packages: packed as for publishing, installed into an empty folder by the scripts that the
 * Dockerfile runs, and started as the image starts them.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, readImage } from './support/dockerfile.js';
import { freePort, Running } from './support/running.js';

const run = promisify(execFile);
const photo = path.join(ROOT, 'test/fixtures/codes/files/photo-q85_a.jpg');
const image = readImage();
const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
const UNPRIVILEGED = 65_534;

describe('the published packages', () => {
  let folder = '';
  let installed = '';

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-package-'));
    await chmod(folder, 0o755);
    installed = path.join(folder, 'opt', 'isccd');
    const packs = path.join(folder, 'packs');
    await run('ops/image/build.sh', [packs], { cwd: ROOT });
    const env = { ...process.env, ISCCD_NPM_FLAGS: '--prefer-offline' };
    await run('ops/image/install.sh', [packs, installed], { cwd: ROOT, env });
  }, 300_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const isccd = (...args: string[]) =>
    run(path.join(installed, 'node_modules/.bin/isccd'), args, { cwd: folder });

  it('contain a command that explains a code', async () => {
    const { stdout } = await isccd('explain', 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2', '--json');
    expect(JSON.parse(stdout).readable).toBe('ISCC-SUM-V0-DI-158c1cf44cfd82083585f85fc3fbcc0d');
  });

  it('contain a command that creates the code of a real file', async () => {
    const { stdout } = await isccd('code', photo);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ filename: 'photo-q85_a.jpg', mode: 'image', mediatype: 'image/jpeg' });
    expect(result.iscc).toMatch(/^ISCC:KE/);
  });

  it('contain only files that users need', async () => {
    const main = path.join(installed, 'node_modules/isccd');
    const entries = await readdir(main, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(main, path.join(entry.parentPath, entry.name)));
    expect(files).toContain(path.join('dist', 'cli', 'main.js'));
    expect(files).toContain('LICENSE');
    const unneeded = /\.node$|\.map$|\.tsbuildinfo$|(^|\/)(test|bench|crates|scripts|src)\/|(?<!\.d)\.ts$/;
    expect(files.filter((file) => unneeded.test(file))).toEqual([]);
    const native = path.join(installed, 'node_modules/@isccd', `native-${platform}`);
    expect((await readdir(native)).sort()).toEqual([
      'LICENSE',
      'LICENSE-uWebSockets.js',
      'README.md',
      'index.d.ts',
      ...(process.platform === 'linux' ? [`isccd-tool-host.${platform}.so`] : []),
      `isccd.${platform}.node`,
      `lmdb.${platform}.node`,
      'package.json',
      `uws_${process.platform}_${process.arch}_115.node`,
    ]);
  });

  it('name the missing package and the install command in one line', async () => {
    const native = path.join(installed, 'node_modules/@isccd');
    await rename(native, `${native}-moved`);
    try {
      const failure = await isccd('explain', 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2').catch((error) => error);
      expect(failure.code).toBe(1);
      expect(failure.stderr.trim().split('\n')).toHaveLength(1);
      expect(failure.stderr).toContain(`npm install @isccd/native-${platform}`);
    } finally {
      await rename(`${native}-moved`, native);
    }
  });

  /** The library that keeps FFmpeg loaded. */
  const toolHost = () =>
    path.join(installed, 'node_modules/@isccd', `native-${platform}`, `isccd-tool-host.${platform}.so`);

  it('run as in the image: as an unprivileged user, with only the data folder and /tmp writable', async () => {
    expect(image.user).not.toBe('root');
    const data = path.join(folder, 'data');
    const temporary = path.join(folder, 'tmp');
    await mkdir(data);
    await mkdir(temporary);
    const isRoot = process.getuid?.() === 0;
    const identity = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
    for (const writable of [data, temporary]) await chmod(writable, 0o777);
    const ports = await Promise.all(['CODEWEB', 'INDEXSVC', 'RESOLVER'].map(portOf));
    const values = Object.entries(image.environment).map(([name, value]) => [
      name,
      value.replace(/^\/data\b/, data),
    ]);
    const env = {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      TMPDIR: temporary,
      ...Object.fromEntries(values),
      ...Object.fromEntries(ports),
    };
    const installedPaths = (words: readonly string[]) =>
      words.map((word) => word.replace(/^\/opt\/isccd/, installed));
    const [program, ...args] = installedPaths([...image.entrypoint, ...image.command]) as [
      string,
      ...string[],
    ];
    const running = new Running();
    try {
      running.start(program, args, { cwd: '/', env, ...identity });
      const codes = `http://127.0.0.1:${env.CODEWEB_PORT}`;
      await running.answers(`${codes}/healthz`);
      expect(await codeFrom(codes, 'photo-q85_a.jpg')).toMatch(/^ISCC:KE/);
      expect(await codeFrom(codes, 'test_a.mp4')).toMatch(/^ISCC:K/);
      if (process.platform === 'linux') expect(await loadedBy(toolHost())).not.toEqual([]);
      expect((await stat(path.join(data, 'codes'))).isDirectory()).toBe(true);

      const [check, ...checkArgs] = installedPaths(image.healthcheck) as [string, ...string[]];
      const { stdout } = await run(check, checkArgs, { cwd: '/', env, ...identity });
      expect(stdout).toContain('codes');
    } finally {
      await running.stop();
    }
  }, 120_000);
});

/** Uploads a fixture; returns its ISCC-CODE. */
async function codeFrom(codes: string, name: string): Promise<string> {
  const response = await fetch(`${codes}/api/v1/iscc`, {
    method: 'POST',
    headers: { 'X-Upload-Filename': Buffer.from(name).toString('base64') },
    body: await readFile(path.join(ROOT, 'test/fixtures/codes/files', name)),
  });
  expect([name, response.status]).toEqual([name, 201]);
  return ((await response.json()) as { iscc: string }).iscc;
}

/** Process ids of all processes that have loaded a library. */
async function loadedBy(library: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const maps = await Promise.all(ids.map((id) => readFile(`/proc/${id}/maps`, 'utf8').catch(() => '')));
  return ids.filter((_, at) => maps[at]?.includes(library));
}

async function portOf(service: string): Promise<[string, string]> {
  return [`${service}_PORT`, String(await freePort())];
}
