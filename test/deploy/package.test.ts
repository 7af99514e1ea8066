/**
 * The published packages: packed as for publishing, installed into an empty folder by the scripts that the
 * Dockerfile runs, and started as the image starts them.
 */
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeProblems } from '../../scripts/try-types.mjs';
import { debianProgram, debianPython, INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT, readImage } from './support/dockerfile.js';
import { freePort, Running } from './support/running.js';

const run = promisify(execFile);
const photo = path.join(ROOT, 'test/fixtures/codes/files/photo-q85_a.jpg');
const image = readImage();
const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
const UNPRIVILEGED = 65_534;
/** Decoded by FFmpeg, by pdfium and by own code. */
const SAMPLES = ['photo-q85_a.jpg', 'test_a.mp4', 'song_a.mp3', 'paper_a.pdf', 'report_a.docx'];

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
    expect(files).toContain(path.join('man', 'isccd.1'));
    expect(files).toContain(path.join('ops', 'systemd', 'isccd.service'));
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
      ...[115, 127, 137, 141].map((abi) => `uws_${process.platform}_${process.arch}_${abi}.node`),
    ]);
  });

  it('depend on the versions that were tested', async () => {
    const text = await readFile(path.join(installed, 'node_modules/isccd/package.json'), 'utf8');
    const { dependencies, optionalDependencies, man } = JSON.parse(text);
    const all = { ...dependencies, ...optionalDependencies };
    expect(Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([]);
    expect(dependencies).toHaveProperty('sharp');
    expect(man).toBe('./man/isccd.1');
  });

  it('have types: the examples of the documentation compile, and wrong arguments do not', () => {
    const modules = path.join(installed, 'node_modules');
    expect(typeProblems({ folder: path.join(folder, 'types'), modules })).toEqual([]);
  }, 240_000);

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

  const installedPaths = (words: readonly string[]) =>
    words.map((word) => word.replace(/^\/opt\/isccd/, installed));

  /** Variables, user and folders as in the image: only the data folder and `temporary` are writable. */
  const surroundings = async (name: string) => {
    const [data, temporary] = [path.join(folder, name, 'data'), path.join(folder, name, 'tmp')];
    for (const writable of [data, temporary]) {
      await mkdir(writable, { recursive: true });
      await chmod(writable, 0o777);
    }
    const identity = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
    const ports = await Promise.all(['CODEWEB', 'INDEXSVC', 'MSTORE', 'RESOLVER'].map(portOf));
    const values = Object.entries(image.environment).map(([key, value]) => [
      key,
      value.replace(/^\/data\b/, data),
    ]);
    const env: Record<string, string | undefined> = {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      TMPDIR: temporary,
      ...Object.fromEntries(values),
      ...Object.fromEntries(ports),
    };
    return {
      data,
      temporary,
      codes: `http://127.0.0.1:${env.CODEWEB_PORT}`,
      how: { cwd: '/', env, ...identity },
    };
  };

  it('run as in the image: as an unprivileged user, with only the data folder and /tmp writable', async () => {
    expect(image.user).not.toBe('root');
    const { data, temporary, codes, how } = await surroundings('image');
    const [program = '', ...entrypoint] = installedPaths(image.entrypoint);
    const running = new Running();
    try {
      running.start(program, [...entrypoint, ...image.command], how);
      await running.answers(`${codes}/healthz`);
      expect(await codeFrom(codes, 'photo-q85_a.jpg')).toMatch(/^ISCC:KE/);
      expect(await codeFrom(codes, 'test_a.mp4')).toMatch(/^ISCC:K/);
      if (process.platform === 'linux') expect(await loadedBy(toolHost())).not.toEqual([]);
      expect((await stat(path.join(data, 'codes'))).isDirectory()).toBe(true);

      const [check, ...checkArgs] = installedPaths(image.healthcheck) as [string, ...string[]];
      expect((await run(check, checkArgs, how)).stdout).toContain('codes');

      const backup = path.join(temporary, 'backup');
      const command = async (...words: string[]) =>
        (await run(program, [...entrypoint, ...words], how)).stdout;
      expect(await command('backup', backup)).toMatch(/codes +2 uploads, 2 results/);
      expect(await command('verify', backup)).toMatch(/codes +2 uploads, 2 results/);
    } finally {
      await running.stop();
    }
  }, 120_000);

  it.runIf(process.platform === 'linux')(
    'run with the system calls that the units of systemd allow',
    async () => {
      debianProgram(['systemd-analyze'], 'systemd');
      const python = debianPython('seccomp', 'python3-seccomp');
      const { temporary, codes, how } = await surroundings('systemd');
      const script = path.join(folder, 'system_calls.py');
      const unit = path.join(folder, 'isccd.service');
      // The user of the services may not be able to read the checkout.
      await copyFile(path.join(ROOT, 'test/deploy/support/system_calls.py'), script);
      await copyFile(path.join(ROOT, 'ops/systemd/isccd.service'), unit);
      const program = path.join(installed, 'node_modules/.bin/isccd');
      const env = { ...how.env, MSTORE_URL: 'http://127.0.0.1', APP_SECRET_KEY: 'ab'.repeat(32) };
      const running = new Running();
      try {
        running.start(python, [script, unit, program, 'serve'], { ...how, env });
        await running.answers(`${codes}/healthz`);
        for (const name of SAMPLES) expect(await codeFrom(codes, name)).toMatch(/^ISCC:K/);
        expect(await embeddedName(codes, 'photo-q85_a.jpg')).toBe('By the units');
        const args = [script, unit, program, 'backup', path.join(temporary, 'backup')];
        const { stdout } = await run(python, args, { ...how, env });
        expect(stdout).toMatch(/codes +\d+ uploads/);
        expect(stdout).toContain('store');
      } finally {
        await running.stop();
      }
    },
    INSTALL_MAX_MS,
  );
});

/** Uploads a fixture. */
async function uploaded(codes: string, name: string): Promise<{ iscc: string; media_id: string }> {
  const response = await fetch(`${codes}/api/v1/iscc`, {
    method: 'POST',
    headers: { 'X-Upload-Filename': Buffer.from(name).toString('base64') },
    body: await readFile(path.join(ROOT, 'test/fixtures/codes/files', name)),
  });
  expect([name, response.status]).toEqual([name, 201]);
  return (await response.json()) as { iscc: string; media_id: string };
}

async function codeFrom(codes: string, name: string): Promise<string> {
  return (await uploaded(codes, name)).iscc;
}

/** Uploads a fixture and embeds a name; returns that of the copy. */
async function embeddedName(codes: string, file: string): Promise<string> {
  const { media_id: id } = await uploaded(codes, file);
  const response = await fetch(`${codes}/api/v1/metadata/${id}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'By the units' }),
  });
  return ((await response.json()) as { name: string }).name;
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
