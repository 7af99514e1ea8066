import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { recorded } from '../codes/support/recorded.js';
import { type CommandOptions, isccd, run } from '../support/command.js';
import { freePorts } from '../support/free-ports.js';
import { KEYS, startS3 } from '../support/s3.js';
import { MAIN } from '../support/serve.js';

interface Line {
  readonly path: string;
  readonly iscc?: string;
  readonly name?: string;
  readonly filename?: string;
  readonly units?: readonly string[];
  readonly error?: { readonly code: string; readonly detail: string };
}

const LEAN = ['--no-thumbnail', '--no-granular'];

async function code(args: readonly string[], options?: CommandOptions) {
  const ended = await isccd(['code', ...LEAN, ...args], options);
  const lines = ended.stdout.split('\n').filter((line) => line !== '');
  return { ...ended, lines: lines.map((line) => JSON.parse(line) as Line) };
}

const paths = (lines: readonly Line[]) => lines.map((line) => line.path);
const failures = (lines: readonly Line[]) =>
  lines.filter(({ error }) => error !== undefined).map(({ path, error }) => [path, error?.code]);

/** A folder with texts, a picture, a damaged file and files that are no sources. */
async function archive(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, 'a/inner'), { recursive: true });
  const write = (name: string, content: string | Buffer) => writeFile(path.join(folder, name), content);
  await write('b.txt', 'The text of b. '.repeat(20));
  await write('a/one.txt', 'The text of one. '.repeat(20));
  await write('a/inner/photo.jpg', await readFile(recorded('photo-q85_a.jpg').path));
  await write('a/inner/bad.pdf', '%PDF-1.4 damaged');
  await write('a/one.txt.iscc.json', '{}');
  await symlink(folder, path.join(folder, 'a/circle'));
  await symlink('one.txt', path.join(folder, 'a/two.txt'));
  return folder;
}

const ALL = ['b.txt', 'a/one.txt', 'a/two.txt', 'a/inner/bad.pdf', 'a/inner/photo.jpg'];

describe('folders and patterns', () => {
  it('are walked once, in a fixed order, with a line for every file', async () => {
    const cwd = await archive();
    const { code: status, lines, stderr } = await code(['.', 'b.txt'], { cwd });
    expect(paths(lines)).toEqual(ALL);
    expect(failures(lines)).toEqual([['a/inner/bad.pdf', 'FILE_DAMAGED']]);
    expect(lines.filter(({ iscc }) => iscc !== undefined)).toHaveLength(4);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^isccd: 5 files, 1 failed, .+ in .+ s \(.+ files\/s, .+\/s\)$/m);
    expect(stderr).toMatch(/^isccd: a\/inner\/bad\.pdf: ISCC processing error\. The file is damaged/m);
  });

  it('select by patterns', async () => {
    const cwd = await archive();
    expect(paths((await code(['**/*.{txt,jpg}'], { cwd })).lines)).toEqual(
      ALL.filter((file) => file !== 'a/inner/bad.pdf'),
    );
    expect(paths((await code(['a/*.txt'], { cwd })).lines)).toEqual(['a/one.txt', 'a/two.txt']);
    const only = ['.', '--include', '*.txt', '--exclude', 'a/one*'];
    expect(paths((await code(only, { cwd })).lines)).toEqual(['b.txt', 'a/two.txt']);
  });

  it('say of an empty file that it is empty', async () => {
    const cwd = await temporaryFolder();
    const names = ['a', 'a.bin', 'a.docx', 'a.jpg', 'a.mp3', 'a.mp4', 'a.pdf', 'a.txt'];
    for (const name of names) await writeFile(path.join(cwd, name), '');
    const { code: status, lines, stderr } = await code(['.'], { cwd });
    expect(failures(lines)).toEqual(names.map((name) => [name, 'FILE_EMPTY']));
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^isccd: a\.jpg: ISCC processing error\. The file is empty\.$/m),
    ]);
    for (const argument of ['-', '/dev/null'])
      expect(failures((await code([argument])).lines)).toEqual([[argument, 'FILE_EMPTY']]);
  });

  it('note that no file was found', async () => {
    const cwd = await archive();
    for (const args of [['a/empty'], ['.', '--include', '*.jgp']]) {
      await mkdir(path.join(cwd, 'a/empty'), { recursive: true });
      expect(await isccd(['code', ...args], { cwd })).toEqual({
        code: 0,
        stdout: '',
        stderr: 'isccd: no file found\n',
      });
    }
  });

  it('report what is missing and go on', async () => {
    const cwd = await archive();
    const { code: status, lines } = await code(['nope.txt', '*.flac', 'b.txt'], { cwd });
    expect(failures(lines)).toEqual([
      ['nope.txt', 'NOT_FOUND'],
      ['*.flac', 'NO_MATCH'],
    ]);
    expect([status, lines[2]?.iscc]).toEqual([1, expect.stringMatching(/^ISCC:/)]);
  });
});

describe('standard input', () => {
  it('is one file, named by --filename', async () => {
    const input = await readFile(recorded('short_a.txt').path, 'utf8');
    const { lines } = await code(['-', '--filename', 'short_a.txt'], { input });
    expect(lines).toMatchObject([
      { path: '-', filename: 'short_a.txt', iscc: recorded('short_a.txt').result?.iscc },
    ]);
    expect((await code(['-'], { input })).lines).toMatchObject([
      { path: '-', filename: 'stdin', mediatype: 'text/plain' },
    ]);
  });

  it.skipIf(process.platform === 'win32')('may be a pipe with a path', async () => {
    const { stdout, code: status } = await run('bash', [
      '-c',
      `'${process.execPath}' '${MAIN}' code --no-granular <(cat '${recorded('short_a.txt').path}')`,
    ]);
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { mediatype: 'text/plain', filesize: 103 }]);
  });
});

it.skipIf(process.platform === 'win32')('refuses endless input at the size of an upload', async () => {
  const temporary = await temporaryFolder();
  const env = { CODEWEB_MAX_UPLOAD_SIZE: '5000000', TMPDIR: temporary };
  const { lines, code: status } = await code(['/dev/zero'], { env });
  expect(lines).toEqual([
    {
      path: '/dev/zero',
      error: {
        code: 'TOO_LARGE',
        detail:
          'the content has more than 4.8 MiB (CODEWEB_MAX_UPLOAD_SIZE); save it to a file and name that',
      },
    },
  ]);
  expect([status, await readdir(temporary)]).toEqual([1, []]);
  const input = 'x'.repeat(5_000_001);
  expect(failures((await code(['-'], { env, input })).lines)).toEqual([['-', 'TOO_LARGE']]);
});

describe('web addresses', () => {
  it('are fetched with their names, redirects and repeated attempts', async () => {
    const bytes = await readFile(recorded('photo-q85_a.jpg').path);
    let busy = 2;
    const server = createServer(({ url }, response) => {
      if (url === '/moved') response.writeHead(302, { Location: '/files/photo-q85_a.jpg?x=1' }).end();
      else if (url === '/busy' && busy-- > 0) response.writeHead(503).end('later');
      else if (url === '/gone') response.writeHead(404).end();
      else
        response
          .writeHead(200, { 'Content-Disposition': "attachment; filename*=UTF-8''f%C3%BCnf.jpg" })
          .end(bytes);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { lines, code: status } = await code([
      `${base}/moved`,
      `${base}/gone`,
      `${base}/busy`,
      'http://127.0.0.1:1/x',
    ]);
    expect(paths(lines)).toEqual([`${base}/moved`, `${base}/gone`, `${base}/busy`, 'http://127.0.0.1:1/x']);
    expect(failures(lines)).toEqual([
      [`${base}/gone`, 'NOT_FOUND'],
      ['http://127.0.0.1:1/x', 'FETCH_FAILED'],
    ]);
    for (const at of [0, 2]) expect(lines[at]).toMatchObject({ filename: 'fünf.jpg', width: 320 });
    expect(status).toBe(1);
  });
});

it('a web server that ends a file too early fails that file only', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': 10_000 }).write('the beginning', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const cwd = await temporaryFolder();
  await writeFile(path.join(cwd, 'a.txt'), 'some words');
  const cut = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cut.txt`;
  const { lines, code: status } = await code([cut, 'a.txt'], { cwd });
  expect(failures(lines)).toEqual([[cut, 'FETCH_FAILED']]);
  expect([status, lines[1]?.iscc]).toEqual([1, expect.stringMatching(/^ISCC:/)]);
});

describe('s3 addresses', () => {
  const objects = new Map<string, Uint8Array>(
    ['a b/ü&1.txt', 'a b/2.txt', 'a b/inner/3.txt', 'a b/', 'other.txt', "it's (4)*.txt"].map((key) => [
      key,
      Buffer.from(key.endsWith('/') ? '' : `The text of ${key}. `.repeat(10)),
    ]),
  );

  it('are read with signed requests: objects, prefixes and patterns', async () => {
    const { url, requests } = await startS3(objects, [503]);
    const env = { ...KEYS, AWS_ENDPOINT_URL_S3: url };
    const one = await code(['s3://bucket/other.txt', "s3://bucket/it's (4)*.txt"], { env });
    expect(failures(one.lines)).toEqual([]);
    expect(one.lines).toMatchObject([
      { path: 's3://bucket/other.txt', filename: 'other.txt' },
      { path: "s3://bucket/it's (4)*.txt", filename: "it's (4).txt" },
    ]);
    const below = await code(['s3://bucket/a b/'], { env });
    expect(paths(below.lines)).toEqual([
      's3://bucket/a b/2.txt',
      's3://bucket/a b/inner/3.txt',
      's3://bucket/a b/ü&1.txt',
    ]);
    expect(failures(below.lines)).toEqual([]);
    expect(paths((await code(['s3://bucket/a*/*.txt'], { env })).lines)).toEqual([
      's3://bucket/a b/2.txt',
      's3://bucket/a b/ü&1.txt',
    ]);
    expect(paths((await code(['s3://bucket'], { env })).lines)).toHaveLength(5);
    expect(requests.filter((request) => !request.endsWith(' 200'))).toHaveLength(1);
  });

  it('report refused requests and missing objects', async () => {
    const { url } = await startS3(objects);
    const env = { ...KEYS, AWS_ENDPOINT_URL_S3: url };
    const { lines } = await code(['s3://bucket/nope', 's3://bucket/nope/', 's3://wrong/', 's3://'], { env });
    expect(lines.map(({ error }) => error?.code)).toEqual([
      'NOT_FOUND',
      'NO_MATCH',
      'NOT_FOUND',
      'ADDRESS_INVALID',
    ]);
    const wrong = { ...env, AWS_SECRET_ACCESS_KEY: 'wrong' };
    const refused = await code(['s3://bucket/other.txt'], { env: wrong });
    expect(refused.lines[0]?.error).toMatchObject({
      code: 'FETCH_FAILED',
      detail: expect.stringContaining('403'),
    });
  });
});

describe('outputs', () => {
  it('--csv is a table with quoted fields', async () => {
    const cwd = await archive();
    await writeFile(path.join(cwd, 'say, "so".txt'), 'Some text. '.repeat(9));
    const { stdout } = await isccd(['code', '--csv', 'say, "so".txt', 'nope'], { cwd });
    const rows = stdout.split('\r\n');
    expect(rows[0]).toBe('path,iscc,mode,mediatype,filesize,name,datahash,units,error,detail');
    expect(rows[1]).toMatch(
      /^"say, ""so"".txt",ISCC:KA\w+,text,text\/plain,99,"say, so",1e20\w+,ISCC:AA\w+ ISCC:EA/,
    );
    expect(rows[2]).toBe('nope,,,,,,,,NOT_FOUND,the file does not exist');
  });

  it('--sidecar writes the result next to each file, once', async () => {
    const cwd = await archive();
    const first = await isccd(['code', ...LEAN, '--sidecar', '.'], { cwd });
    expect([first.code, first.stdout]).toEqual([1, '']);
    expect((await readdir(path.join(cwd, 'a/inner'))).sort()).toEqual([
      'bad.pdf',
      'photo.jpg',
      'photo.jpg.iscc.json',
    ]);
    const text = await readFile(path.join(cwd, 'b.txt.iscc.json'), 'utf8');
    expect(text).toMatch(/^\{\n {2}"@context": "http:.+",\n {2}"@type": "TextDigitalDocument",/);
    expect(JSON.parse(text)).not.toHaveProperty('path');
    // The empty side-car in the archive is newer than its file.
    expect(await readFile(path.join(cwd, 'a/one.txt.iscc.json'), 'utf8')).toBe('{}');
    const again = await isccd(['code', ...LEAN, '--sidecar', '.'], { cwd });
    expect(again.stderr).toMatch(/^isccd: 1 file, 1 failed, 4 done before/m);
    await utimes(path.join(cwd, 'b.txt'), new Date(), new Date(Date.now() + 60_000));
    const changed = await isccd(['code', ...LEAN, '--sidecar', '.'], { cwd });
    expect(changed.stderr).toMatch(/^isccd: 2 files, 1 failed, 3 done before/m);
  });

  it('lines feed an index, without the failed files', async () => {
    const cwd = await archive();
    const { stdout } = await isccd(['code', ...LEAN, '.'], { cwd });
    const at = ['--at', path.join(cwd, 'indexes')];
    expect(await isccd(['index', 'create', 'all', ...at])).toMatchObject({ code: 0 });
    const added = await isccd(['index', 'add', 'all', '-', '--make-ids', ...at], { input: stdout });
    expect([added.code, added.stderr]).toEqual([0, '']);
    expect(JSON.parse((await isccd(['index', 'list', ...at])).stdout)).toMatchObject({
      name: 'all',
      assets: 4,
    });
  });
});

describe('metadata', () => {
  it('given by options replaces that of the file', async () => {
    const file = recorded('meta-rich_a.jpg').path;
    const given = [
      '--name',
      'Die Unendliche Geschichte',
      '--description',
      '',
      '--meta',
      '{"b": 1, "a": "ü"}',
    ];
    const [line] = (await code([file, ...given])).lines;
    expect(line).toMatchObject({
      name: 'Die Unendliche Geschichte',
      meta: `data:application/json;base64,${Buffer.from('{"a":"ü","b":1}').toString('base64')}`,
    });
    expect(line).not.toHaveProperty('description');
    const [bare] = (await code([file, '--no-metadata'])).lines;
    expect(bare).toMatchObject({ name: 'meta rich a' });
    expect(bare).not.toHaveProperty('creator');
  });

  it.each([
    [['--meta', 'no json', 'x.txt'], '--meta must be a JSON object, a base64 Data-URL or @FILE'],
    [['--meta', '@missing.json', 'x.txt'], '--meta: ENOENT'],
    [['--csv', '--sidecar', 'x.txt'], '--csv cannot be combined'],
    [['--sidecar', 'https://codes.example/x.txt'], '--sidecar needs local files'],
    [['--soft-binding', '--name', 'x', 'x.txt'], '--soft-binding cannot be combined'],
    [['--jobs', '0', 'x.txt'], '--jobs must be'],
  ])('%j is refused', async (args, message) => {
    expect(await isccd(['code', ...args])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`isccd: ${message}`),
    });
  });
});

describe('--soft-binding', () => {
  const FIXTURE = path.resolve(import.meta.dirname, '../fixtures/codes/options_sdk_0_9_7.json');
  /** Files whose units differ for reasons that are documented with the file formats. */
  const DIFFERENT_UNITS_MAX = 0.15;

  it('has the units that iscc-sdk chooses for each file', { timeout: 240_000 }, async () => {
    const known = JSON.parse(await readFile(FIXTURE, 'utf8')).soft_bindings as Record<
      string,
      readonly string[]
    >;
    // The reference reads archives as text, and does not read text without an extension.
    for (const file of ['arch_a.zip', 'plainnoext_a']) delete known[file];
    const files = Object.keys(known).map((file) => recorded(file).path);
    const { lines } = await code(['--soft-binding', ...files]);
    expect(failures(lines)).toEqual([]);
    const types = (units: readonly string[] = []) => units.map((unit) => unit.slice(0, 7));
    const chosen = Object.fromEntries(
      lines.map(({ path: file, units }) => [path.basename(file), types(units)]),
    );
    expect(chosen).toEqual(
      Object.fromEntries(Object.entries(known).map(([file, units]) => [file, types(units)])),
    );
    const different = lines.filter(
      ({ path: file, units }) => String(units) !== String(known[path.basename(file)]),
    );
    expect(different.length / lines.length).toBeLessThan(DIFFERENT_UNITS_MAX);
  });

  it('prints the assertion of one file as the reference does', async () => {
    const {
      stdout,
      stderr,
      code: status,
    } = await isccd(['code', '--soft-binding', recorded('uniform_a.png').path]);
    const units = [...stderr.matchAll(/^ISCC:\w+$/gm)].map(([unit]) => unit);
    expect(stderr).toContain('no Image-Code: the image is featureless');
    expect([status, units.map((unit) => unit.slice(0, 7))]).toEqual([0, ['ISCC:GA', 'ISCC:IA']]);
    expect(stdout).toMatch(/^ {8}"value": \[\d+(, \d+)+\]$/m);
    const assertion = JSON.parse(stdout);
    expect(assertion).toMatchObject({
      label: 'c2pa.soft-binding',
      created: true,
      data: { alg: 'io.iscc.v0' },
    });
    expect(assertion.data.blocks[0].value).toHaveLength(68);
  });
});

describe('a run that continues an earlier one', () => {
  it('reads standard input again', async () => {
    const cwd = await temporaryFolder();
    const args = ['-', '--filename', 'x.txt', '--resume', 'results.ndjson'];
    for (const input of ['first words', 'other words'])
      expect((await code(args, { cwd, input })).code).toBe(0);
    const lines = (await readFile(path.join(cwd, 'results.ndjson'), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(2);
  });

  it('makes the side-car that the earlier run did not', async () => {
    const cwd = await temporaryFolder();
    await writeFile(path.join(cwd, 'a.txt'), 'some words');
    expect((await code(['a.txt', '--resume', 'results.ndjson'], { cwd })).code).toBe(0);
    expect((await code(['a.txt', '--resume', 'results.ndjson', '--sidecar'], { cwd })).code).toBe(0);
    expect(await readdir(cwd)).toContain('a.txt.iscc.json');
  });
});

it('an invalid address is a failure of its own', async () => {
  const cwd = await temporaryFolder();
  await writeFile(path.join(cwd, 'a.txt'), 'some words');
  const invalid = ['http://[bad', 'https://user:secret@media.example/a.jpg', 'ftp://media.example/a.jpg'];
  const ended = await code(['a.txt', ...invalid], { cwd });
  expect(ended.code).toBe(1);
  expect(paths(ended.lines)).toEqual(['a.txt', ...invalid]);
  expect(failures(ended.lines)).toEqual(invalid.map((address) => [address, 'ADDRESS_INVALID']));
});

it('an address without a server is named once, with the reason', async () => {
  const [port] = await freePorts(1);
  const address = `http://127.0.0.1:${port}/a.jpg`;
  const { stderr } = await code([address]);
  expect(stderr.trim()).toBe(
    `isccd: ${address}: the content can't be fetched: connect ECONNREFUSED 127.0.0.1:${port}`,
  );
});
