/** Arguments that are wrong: the errors name the rule and the way out. Tables of `isccd index` on a terminal. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOnTerminal } from '../../scripts/terminal.mjs';
import { counted } from '../../src/cli/terminal/lines.js';
import { isccd } from '../support/command.js';
import { MAIN } from '../support/serve.js';

const CODE = 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2';
const ISCC_ID = 'ISCC:MAIGIIFJRDGEQQAA';
const RULE = 'a code is ISCC: and at least 16 letters A to Z and digits 2 to 7';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'isccd-arguments-'));
  const entry = { iscc_id: ISCC_ID, iscc_code: CODE, metadata: { name: 'A\u001b[2J title', year: 2026 } };
  await writeFile(path.join(cwd, 'entries.jsonl'), `${JSON.stringify(entry)}\n`);
  for (const args of [
    ['create', 'photos'],
    ['add', 'photos', 'entries.jsonl'],
  ])
    expect(await isccd(['index', ...args, '--at', 'here'], { cwd })).toMatchObject({ code: 0 });
});

afterAll(() => rm(cwd, { recursive: true, force: true }));

it.each([
  [['explain', 'foo'], 1, `foo is not a code: ${RULE}; multiformat is accepted, too`],
  [['explain', 'hello, world and more'], 1, `hello, world and more is not a code: ${RULE}`],
  [['explain', 'ISCC:AAAAAAAAAAAAAAAAAAAA'], 1, 'ISCC:AAAAAAAAAAAAAAAAAAAA is not a valid ISCC: '],
  [
    ['index', 'create', 'Photos!'],
    2,
    'Photos! is not a name of an index: small letters and digits, first a letter; did you mean photos?',
  ],
  [['index', 'create', '1'], 2, '1 is not a name of an index: small letters and digits, first a letter\n'],
  [['index', 'search', 'photos', 'ISCC:XX'], 2, `ISCC:XX is not a code: ${RULE}\n`],
  [['index', 'get', 'photos', 'photo.jpg'], 2, 'photo.jpg is not an ISCC-ID, such as ISCC:MAIGIIFJRDGEQQAA'],
])('isccd %j: %s', async (args, status, message) => {
  const at = args[0] === 'index' ? ['--at', 'here'] : [];
  const { code, stdout, stderr } = await isccd([...args, ...at], { cwd });
  expect([code, stdout]).toEqual([status, '']);
  expect(stderr.startsWith(`isccd: ${message}`), stderr).toBe(true);
});

it.each(['127.0.0.1:8010', 'localhost:8010', '[::1]:8010', 'search.example:443'])(
  '--at %s is not taken for a folder',
  async (at) => {
    for (const command of [
      ['index', 'create', 'photos'],
      ['index', 'list'],
      ['index', 'import', 'photos', '--from', at],
    ])
      expect(
        await isccd([...command, '--at', command.includes('import') ? 'here' : at], { cwd }),
      ).toMatchObject({
        code: 2,
        stderr: `isccd: ${at} has no scheme; did you mean http://${at}?\n`,
      });
  },
);

it('a missing file is reported without the error of the system', async () => {
  const { code, stderr } = await isccd(['extract', 'missing.jpg'], { cwd });
  expect([code, stderr]).toEqual([1, 'isccd: missing.jpg: the file does not exist\n']);
});

it.each(['simprint', 'seed isrc', 'demo', 'index add photos --at here'])(
  '%s says in words why a file cannot be read',
  async (command) => {
    for (const [file, problem] of [
      ['missing', 'the file does not exist'],
      ['.', 'it is a folder, not a file'],
    ] as const) {
      const { code, stderr } = await isccd([...command.split(' '), file], { cwd });
      expect([code, stderr]).toEqual([1, `isccd: ${file}: ${problem}\n`]);
    }
  },
);

describe('isccd index', () => {
  const index = (...args: readonly string[]) => ['index', ...args, '--at', 'here'];
  const commands = [
    index('list'),
    index('get', 'photos', ISCC_ID),
    index('search', 'photos', CODE.toLowerCase()),
  ];

  it('prints JSON into a pipe', async () => {
    for (const args of commands) {
      const { code, stdout } = await isccd(args, { cwd });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toBeTypeOf('object');
    }
  });

  it.runIf(process.platform === 'linux')('prints tables on a terminal, and JSON with --json', async () => {
    const env = { ...process.env, NO_COLOR: '1' };
    const shown = async (args: readonly string[]) =>
      (await runOnTerminal([process.execPath, MAIN, ...args], { cwd, env, columns: 200 })).output;
    const [list = '', entry = '', found = ''] = await Promise.all(commands.map(shown));
    expect(list).toMatch(/^NAME +ASSETS +SIZE\nphotos +1 +\d+ MiB\n$/);
    expect(entry).toMatch(/^iscc_id +ISCC:MAIGIIFJRDGEQQAA\niscc_code +ISCC:KUAB/);
    expect(entry).toMatch(/name +A\\u001b\[2J title\nyear +2026\n$/);
    expect(found).toMatch(
      /^SCORE +ISCC-ID +NAME +DIFFERENCE\n1\.000 +ISCC:MAIGIIFJRDGEQQAA +A\\u001b\[2J title +/,
    );
    expect(found).toMatch(/data 0 of \d+ bits/);
    for (const args of commands) expect(JSON.parse(await shown([...args, '--json']))).toBeTypeOf('object');
  });
});

it('numbers have the right plural', () => {
  const names = ['groups', 'indexes', 'entries', 'passes', 'bindings'];
  expect(names.map((name) => counted(1, name))).toEqual([
    '1 group',
    '1 index',
    '1 entry',
    '1 pass',
    '1 binding',
  ]);
  expect(counted(0, 'files')).toBe('0 files');
  expect(counted(2, 'indexes')).toBe('2 indexes');
});
