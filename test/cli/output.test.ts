/** Commands with unwritable output, wrong arguments, or files with a byte order mark. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { MAIN, serve } from '../support/serve.js';

const run = promisify(execFile);
const CODE = 'ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY';
/** Runs a shell script in which `"$0" "$1"` is the command; returns its exit status and standard error. */
async function status(script: string): Promise<{ code: number; stderr: string }> {
  const words = ['-c', script, process.execPath, MAIN];
  return run('bash', words).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }) => ({ code, stderr }),
  );
}

it.skipIf(!existsSync('/dev/full')).each([`explain ${CODE}`, 'serve --env', '--help'])(
  '%s fails with one line if the disk is full',
  async (command) => {
    const stderr = expect.stringMatching(/^isccd: standard output can't be written: ENOSPC[^\n]*\n$/);
    expect(await status(`"$0" "$1" ${command} > /dev/full`)).toEqual({ code: 1, stderr });
  },
);

it.skipIf(process.platform === 'win32')('a closed pipe is not an error', async () => {
  for (const command of [`explain ${CODE}`, 'serve --env']) {
    const result = await status(`set -o pipefail; "$0" "$1" ${command} | head -0`);
    expect(result).toEqual({ code: 0, stderr: '' });
    expect(
      (await status(`"$0" "$1" ${command} 2>&1 >/dev/full | head -0; exit \${PIPESTATUS[0]}`)).code,
    ).toBe(1);
  }
});

it('exits with 2 for wrong arguments and with 0 for help', () => {
  const of = (args: string[]) => {
    try {
      execFileSync(process.execPath, [MAIN, ...args], { stdio: 'ignore' });
      return 0;
    } catch (error) {
      return (error as { status: number }).status;
    }
  };
  expect([of(['--help']), of(['help', 'code']), of(['nonsense']), of(['code'])]).toEqual([0, 0, 2, 2]);
});

it.skipIf(process.platform === 'win32')(
  'extract refuses a missing file, a folder and a pipe with one line',
  async () => {
    const folder = await temporaryFolder();
    await run('mkfifo', [path.join(folder, 'pipe')]);
    for (const [name, rule] of [
      ['missing', 'the file does not exist'],
      ['.', 'not a file'],
      ['pipe', 'not a file'],
    ])
      expect(await status(`cd '${folder}'; exec "$0" "$1" extract ${name}`)).toEqual({
        code: 1,
        stderr: `isccd: ${name}: ${rule}\n`,
      });
  },
);

it('accepts a seed with a byte order mark', async () => {
  const file = path.join(await temporaryFolder(), 'seed.json');
  const seed = {
    $schema: 'http://purl.org/iscc/schema/isrc-0.8.0.json',
    isrc: 'DEUM71501234',
    main_artist: 'A',
    track_title: 'B',
    version_title: '',
    duration: 10,
    content_type: 'sound',
    pubdate: '20200101',
  };
  const printed = async (start: string) => {
    await writeFile(file, start + JSON.stringify(seed));
    expect((await readFile(file)).includes('\ufeff')).toBe(start !== '');
    return (await run(process.execPath, [MAIN, 'seed', 'isrc', file])).stdout;
  };
  expect(await printed('\ufeff')).toBe(await printed(''));
});

it.skipIf(!existsSync('/proc/self'))('does not start if its folder can’t be created', async () => {
  const folder = '/proc/isccd/media';
  const started = serve(['codes'], { env: { CODEWEB_PORT: '0', CODEWEB_MEDIA_PATH: folder } });
  await expect(started).rejects.toThrow(/codes does not start on \S+: .*mkdir '\/proc\/isccd'/);
});

it('reports refusals of the system, of services and of the addon in one line', async () => {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, 'backup/backup.json'), { recursive: true });
  const indexes = path.join(folder, 'indexes');
  const server = await serve(['search'], {
    env: { INDEXSVC_PORT: '0', INDEXSVC_INDEX_URI: `usearch://${indexes}` },
  });
  onTestFinished(() => server.kill());
  const cases: [string, RegExp][] = [
    [`verify ${folder}/backup`, /^isccd: EISDIR: [^\n]+\n$/],
    [
      `index import none --from ${server.urls.search} --at ${folder}/other`,
      /^isccd: Index 'none' not found\n$/,
    ],
    [`index list --at ${indexes}`, /^isccd: [^\n]+ is in use by another process[^\n]*\n$/],
  ];
  for (const [command, stderr] of cases) {
    const ended = await status(`"$0" "$1" ${command}`);
    expect([command, ended.code, ended.stderr]).toEqual([command, 1, expect.stringMatching(stderr)]);
  }
});
