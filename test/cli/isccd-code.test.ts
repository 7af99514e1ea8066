/**
 * `isccd-code`, the program without Node.js, next to `isccd`: the same lines for every recorded file, or no code. Never another
 * code.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildInnerProgram } from '../../scripts/build-program.mjs';
import { root } from '../../scripts/lib.mjs';
import { textOf } from '../../src/services/codes/errors.js';
import { filmWithGaps, nestedBoxes, smallBoxes, wav } from '../codes/support/hostile.js';
import { isccd, run } from '../support/command.js';

const FIXTURES = path.join(root, 'test/fixtures');
/** `USUAL_BOXES` of both. */
const BOXES_MAX = 100_000;
const FORMATS = 'src/services/codes/pipeline/formats';
const BUILD_MS_MAX = 900_000;
const CODE_MS_MAX = 300_000;
const NOT_BUILT_IN = 'FORMAT_NOT_BUILT_IN';
const CODE = 'ISCC:KACYPXW445FTYNJ3CYSXHAFJMA2HUWULUNRFE3BLHRSCXYH2M5AEGQY';

let program = '';

beforeAll(() => {
  program = buildInnerProgram();
}, BUILD_MS_MAX);

interface Line {
  readonly path: string;
  readonly units?: readonly string[];
  readonly error?: { readonly code: string; readonly detail: string };
}

/** Lines by path, as text. */
function byPath(output: string): Map<string, string> {
  const lines = output.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [(JSON.parse(line) as Line).path, line]));
}

const both = (args: readonly string[]) => Promise.all([run(program, args), isccd(args)]);

describe('code', () => {
  it('writes the lines of isccd for every fixture, or no code', { timeout: CODE_MS_MAX }, async () => {
    const [own, node] = await both(['code', FIXTURES]);
    const [lines, expected] = [byPath(own.stdout), byPath(node.stdout)];
    expect([...lines.keys()]).toEqual([...expected.keys()]);
    const others = [...lines].filter(([file, line]) => line !== expected.get(file));
    const parsed = others.map(([, line]) => JSON.parse(line) as Line);
    expect(parsed.filter(({ error }) => error?.code !== NOT_BUILT_IN)).toEqual([]);
    // What is not built in, by the end of the file's name.
    const left = new Set(parsed.map((line) => path.extname(line.path)));
    expect([...left].filter((end) => !NOT_ALL_READ.has(end))).toEqual([]);
    expect(others.length / lines.size).toBeLessThan(NOT_READ_SHARE_MAX);
    expect(own.code).toBe(1);
  });

  it('takes titles from names as isccd does', async () => {
    const folder = await temporaryFolder();
    const names = [
      'my-notes_v2.txt',
      '.hidden',
      'a..b',
      'archive.tar.txt',
      ' con .txt',
      'nul.txt',
      'trailing .txt',
      'tab\tname.txt',
      'question?.txt',
      'wide\u3000space.txt',
      '\ufeffmark.txt',
      '\u202e reversed.txt',
      `${'ü'.repeat(100)}.txt`,
      'e\u0301.txt',
    ];
    for (const [at, name] of names.entries()) await writeFile(path.join(folder, name), `Text number ${at}`);
    const [own, node] = await both(['code', folder]);
    expect(own.stdout).toBe(node.stdout);
    expect(byPath(own.stdout).size).toBe(names.length);
  });

  it('takes metadata and options as isccd does', async () => {
    const folder = await temporaryFolder();
    const page = path.join(folder, 'page.html');
    await writeFile(page, '<title>Read</title><meta name=description content=Old><p>Text');
    const variants = [
      ['--name', 'Given'],
      ['--name', ''],
      ['--description', ''],
      ['--meta', '{"a": 1}'],
      ['--meta', `data:application/json;base64,${Buffer.from('{"b":2}').toString('base64')}`],
      ['--no-metadata'],
      ['--no-granular', '--no-thumbnail'],
      ['--csv'],
    ];
    for (const variant of variants) {
      const [own, node] = await both(['code', page, ...variant]);
      expect([variant, own.stdout, own.code]).toEqual([variant, node.stdout, node.code]);
    }
  });

  it('has the reasons of the service', async () => {
    const source = await readFile(path.join(root, 'crates/code/src/failure.rs'), 'utf8');
    const table = /FILE_TEXTS[^=]*= \[(.*?)\n\];/s.exec(source)?.[1] ?? '';
    const texts = [...table.matchAll(/\(\s*"([A-Z_]+)",\s*"((?:[^"\\]|\\\n\s*)*)",?\s*\)/g)];
    expect(texts.length).toBeGreaterThan(10);
    for (const [, code = '', text = ''] of texts) {
      const service = textOf(code as Parameters<typeof textOf>[0], { task: '' }).trim();
      expect([code, text.replace(/\\\n\s*/g, '')]).toEqual([code, service]);
    }
  });

  it('refuses sound and films that ask for too much work, as isccd does', async () => {
    const folder = await temporaryFolder();
    const files: readonly (readonly [name: string, isCostly: boolean, bytes: Uint8Array])[] = [
      ['rate-low.wav', true, wav(999, 20_000)],
      ['rate.wav', false, wav(1000, 20_000)],
      ['boxes-many.mp4', true, smallBoxes(BOXES_MAX)],
      ['boxes-many.m4a', true, smallBoxes(BOXES_MAX)],
      ['boxes.mp4', false, smallBoxes(BOXES_MAX - 1)],
      ['boxes-inside.mp4', true, nestedBoxes(BOXES_MAX - 1)],
      ['boxes-inside.m4a', false, nestedBoxes(BOXES_MAX - 2)],
      ['gaps.avi', true, await filmWithGaps()],
    ];
    for (const [name, , bytes] of files) await writeFile(path.join(folder, name), bytes);
    const [own, node] = await both(['code', folder]);
    const lines = byPath(own.stdout);
    expect(lines).toEqual(byPath(node.stdout));
    const costly = (line: string) => (JSON.parse(line) as Line).error?.code === 'FILE_TOO_COSTLY';
    expect(new Map([...lines].map(([name, line]) => [path.basename(name), costly(line)]))).toEqual(
      new Map(files.map(([name, isCostly]) => [name, isCostly])),
    );
  });

  it.each([
    ['SOUND', 'audio-tags.ts', 'TAGS'],
    ['FILM', 'video-metadata.ts', 'TAGS'],
    ['RENAMED', 'audio-tags.ts', 'NAMES'],
  ])('has the tags of isccd: %s', async (own, file, service) => {
    const [rust, script] = await Promise.all([
      readFile(path.join(root, 'crates/code/src/tags.rs'), 'utf8'),
      readFile(path.join(root, FORMATS, file), 'utf8'),
    ]);
    const rows = pairs(rust, new RegExp(`const ${own}\\b[^=]*=(.*?);`, 's'));
    expect(rows.length).toBeGreaterThan(2);
    expect(rows).toEqual(
      pairs(script, new RegExp(`const ${service}\\b[^=]*=(.*?)[\\]}](?: as const|;)`, 's')),
    );
  });

  it('starts FFmpeg with the arguments of isccd', async () => {
    const folder = await temporaryFolder();
    const files = ['song_a.ogg', 'test_a.mp4', 'tagged_a.mp4', 'mandel_a.webm'];
    const called = async (
      name: string,
      start: (env: Readonly<Record<string, string>>) => Promise<unknown>,
    ) => {
      const calls = path.join(folder, name);
      await mkdir(calls);
      const tool = async (executable: string) => {
        const script = path.join(calls, executable);
        // Each call in a file of its own, because calls run next to each other.
        const record = `printf '%s\\n' "$0" "$@" > ${calls}/call-$$; exec /usr/bin/env ${executable} "$@"`;
        await writeFile(script, `#!/bin/sh\n${record}\n`);
        await chmod(script, 0o755);
        return script;
      };
      const env = {
        CODESDK_FFMPEG: await tool('ffmpeg'),
        CODESDK_FFPROBE: await tool('ffprobe'),
        ISCCD_SANDBOX: 'off',
      };
      await start(env);
      const { stdout } = await run('/bin/sh', ['-c', `for f in ${calls}/call-*; do cat "$f"; echo; done`]);
      return new Set(
        stdout
          .split('\n\n')
          .filter((call) => call !== '')
          // The name of the file for signatures differs.
          .map((call) => call.replaceAll(calls, '').replace(/filename=\S+/, 'filename')),
      );
    };
    const args = ['code', ...files.map((name) => path.join(FIXTURES, 'codes/files', name))];
    const own = await called('own', (env) => run(program, args, { env }));
    const node = await called('node', (env) => isccd(args, { env }));
    expect(own.size).toBeGreaterThan(files.length);
    expect([...own].sort()).toEqual([...node].sort());
  });
});

/** Ends of names of fixtures that the program leaves to isccd: all, or some of them. */
const NOT_ALL_READ = new Set(['.pdf', '.heic', '.heif', '.avif', '.png', '.tif', '.docx']);
const NOT_READ_SHARE_MAX = 0.1;

describe('codes', () => {
  it.each([
    ['explain', CODE],
    ['explain', '--json', CODE],
    ['explain', 'nonsense'],
    ['explain', 'ISCC:KACYPXW445FTYNJ3CYSXHAFJ'],
    ['compare', CODE, CODE],
    ['compare', '--json', CODE, 'ISCC:KED57BW4PCRSHOKJ7N3DQ6HMMJ3CN3K6GEDM65SNBH2T3WDAVOGSNYI'],
    ['compare', CODE, 'nonsense'],
    ['compare', '--json', path.join(FIXTURES, 'codes/files/photo_a.png'), CODE],
    [
      'compare',
      path.join(FIXTURES, 'codes/files/uniform_a.png'),
      path.join(FIXTURES, 'codes/files/uniform_a.png'),
    ],
  ])('%s %s %s', async (...args) => {
    const [own, node] = await both(args);
    expect(own.stdout).toBe(node.stdout);
    expect([own.code, own.stderr.replaceAll('isccd-code:', 'isccd:')]).toEqual([node.code, node.stderr]);
  });
});

/** The names of a table of pairs in a source of Rust or TypeScript: each row's two, in their order. */
function pairs(source: string, table: RegExp): string[] {
  const [, body = ''] = table.exec(source) ?? [];
  return [...body.matchAll(/[['"(\s](\w[\w:]*)['"]?[,:]\s*['"](\w+)['"]/g)].map(([, a, b]) => `${a} ${b}`);
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-code-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
