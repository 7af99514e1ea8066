/** Every command has examples, and all examples run. */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../src/cli/help/examples.js';
import { program } from '../../src/cli/program.js';
import { exitStatuses } from '../../src/cli/terminal/failure.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { isccd, run } from '../support/command.js';
import { MAIN } from '../support/serve.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ISCC_ID = 'ISCC:MAIGIIFJRDGEQQAA';
const RECORDING = {
  $schema: 'http://purl.org/iscc/schema/isrc-0.8.0.json',
  isrc: 'US-ABC-23-12345',
  main_artist: 'An artist',
  track_title: 'A track',
  version_title: 'The version',
  duration: 180,
  content_type: 'sound',
  pubdate: '20240131',
};

const BOOK = {
  $schema: 'http://purl.org/iscc/schema/isbn-0.8.0.json',
  isbn: '9789295055124',
  productform: 'EA',
  title: 'A book',
  language: 'eng',
  imprint: 'An imprint',
  publisher: 'A publisher',
  country: 'US',
  pubdate: '20240214',
};
const ARTICLE = {
  $schema: 'http://purl.org/iscc/schema/stm-0.8.0.json',
  doi: '10.5555/example.2020.0001',
  resource_type: 'JournalArticle',
  title: 'An article',
  publisher: 'A publisher',
  pubyear: 2020,
};

let folder: string;
/** Apart from the files that examples read: a database may have an empty file beside it for a moment. */
let dataFolder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-examples-'));
  dataFolder = await mkdtemp(path.join(tmpdir(), 'isccd-examples-data-'));
  const files = path.join(ROOT, 'test/fixtures/codes/files');
  await copyFile(path.join(files, 'photo-q85_a.jpg'), path.join(folder, 'photo.jpg'));
  const trust = path.join(ROOT, 'crates/c2pa-manifest/data/trust/C2PA-TRUST-LIST.pem');
  for (const name of ['C2PA-TRUST-LIST.pem', 'authority.pem']) await copyFile(trust, path.join(folder, name));
  await writeFile(path.join(folder, 'notes.txt'), 'A text that is long enough to be coded. '.repeat(20));
  for (const [name, record] of Object.entries({ recording: RECORDING, book: BOOK, article: ARTICLE }))
    await writeFile(path.join(folder, `${name}.json`), JSON.stringify(record));
  const entry = { iscc_id: ISCC_ID, iscc_code: 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2' };
  await writeFile(path.join(folder, 'entries.jsonl'), `${JSON.stringify(entry)}\n`);
  await mkdir(path.join(folder, 'bin'));
  const command = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  await writeFile(path.join(folder, 'bin/isccd'), command, { mode: 0o755 });
  const store = path.join(dataFolder, 'store');
  await mkdir(store, { recursive: true });
  await (await openDatabase(undefined, store)).close();
  environment = {
    PATH: `${folder}/bin:${process.env.PATH}`,
    ISCCD_DATA_DIR: dataFolder,
    TOKEN: 'a long random text, as an example',
    PASSWORD: 'correct horse battery staple',
  };
});
afterAll(async () => {
  for (const one of [folder, dataFolder]) await rm(one, { recursive: true, force: true });
});

/** The help of every command, by its words after `isccd`. */
function helps(command: Command = program(), words: readonly string[] = []): Map<string, string> {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  const listed = command.createHelp().visibleCommands(command);
  const children = listed.filter((child) => child.name() !== 'help');
  return new Map([
    [words.join(' '), help],
    ...children.flatMap((child) => [...helps(child, [...words, child.name()])]),
  ]);
}

describe('help', () => {
  it('has examples, exit statuses and --json for every command', () => {
    const all = helps();
    expect([...all.keys()].sort()).toEqual(Object.keys(EXAMPLES).sort());
    for (const [words, help] of all) {
      for (const { line } of EXAMPLES[words] ?? []) expect(help).toContain(`  $ ${line}\n`);
      const [command] = words.split(' ');
      for (const [, meaning] of exitStatuses(command === '' ? undefined : command))
        expect(help).toContain(meaning);
      expect([words, help.includes('storage stays unusable')]).toEqual([
        words,
        ['', 'serve'].includes(words),
      ]);
      const isGroup = help.includes('\nCommands:\n');
      if (!isGroup && words !== 'completion') expect(help).toMatch(/ --json +machine-readable/);
    }
  });

  it.each(['', 'index key create'])('is printed by the program: "%s"', async (words) => {
    const expected = { code: 0, stdout: helps().get(words), stderr: '' };
    expect(await isccd([...words.split(' ').filter((word) => word !== ''), '--help'])).toEqual(expected);
  });

  it('is coloured only on request or on a terminal', async () => {
    const help = (env: Record<string, string>) => isccd(['check', '--help'], { env });
    expect((await help({})).stdout).not.toContain('\u001b');
    expect((await help({ FORCE_COLOR: '1' })).stdout).toContain('\u001b[1mExamples:');
  });
});

/** In this order, because some examples need the results of others. */
const runnable = Object.entries(EXAMPLES).flatMap(([command, examples]) =>
  examples.filter(({ untested }) => untested === undefined).map(({ line }) => ({ command, line })),
);

describe('examples', () => {
  it('are not filtered out', () => expect(runnable.length).toBeGreaterThan(30));

  it.sequential.each(runnable)('$line', async ({ command, line }) => {
    const options = { cwd: folder, env: environment };
    const { code, stdout, stderr } = await run('bash', ['-c', `set -o pipefail; ${line}`], options);
    expect([
      line,
      code,
      stderr.replace(
        /^isccd: (.* (created|revoked|changed|disabled|enabled|unlocked|has the role admin)|\d+ files, 0 failed, .+|\d+ files of .+)\n$/,
        '',
      ),
    ]).toEqual([line, 0, '']);
    if (line.includes('--json') && command !== '') {
      for (const json of stdout.trim().split('\n')) expect(JSON.parse(json)).toBeTypeOf('object');
    }
  });
});

describe('exit statuses', () => {
  it.each([
    [['no-such-command']],
    [['code']],
    [['explain', '--no-such-option', 'x']],
    [['serve', 'no-such-service']],
    [['seed', 'isrc', '--form', 'other', 'file']],
  ])('%j is 2', async (args) => {
    expect(await isccd(args)).toMatchObject({ code: 2, stdout: '' });
  });

  it('is 1 for a failure', async () => {
    expect(await isccd(['explain', 'nonsense'])).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('results as JSON', () => {
  it.each([
    [
      ['seed', 'isrc', 'recording.json', '--json'],
      { meta: expect.stringMatching(/^data:application\/json;base64,/) },
    ],
    [
      ['store', 'hash-token', 'x', '--json'],
      { MSTORE_OPERATOR_TOKEN_SHA256: expect.stringMatching(/^[\da-f]{64}$/) },
    ],
    [
      ['store', 'gen-key', '--url', 'https://store.example', '--json'],
      {
        MSTORE_SECKEY: expect.stringMatching(/^z3u2/),
        did: expect.objectContaining({ id: 'did:web:store.example' }),
      },
    ],
    [
      ['serve', 'codes', '--env', '--json'],
      expect.objectContaining({ name: 'ISCCD_TRANSPORT', default: 'auto' }),
    ],
  ])('%j', async (args, expected) => {
    const { code, stdout } = await isccd(args, { cwd: folder, env: environment });
    expect(code).toBe(0);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toEqual(expected);
  });

  it('of account commands are the account', async () => {
    const env = { ...environment, ISCCD_DATA_DIR: path.join(folder, 'other') };
    const input = `${environment.PASSWORD}\n`;
    const add = ['store', 'account', 'add', 'Rita', '--password-stdin', '--json'];
    const { code, stdout } = await isccd(add, { cwd: folder, env, input });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { username: 'rita', isDisabled: false }]);
    const disabled = await isccd(['store', 'account', 'disable', 'rita', '--json'], { cwd: folder, env });
    expect(JSON.parse(disabled.stdout)).toMatchObject({ username: 'rita', isDisabled: true });
  });
});

describe('colours of results', () => {
  const code = 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2';
  it.each([
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('with %j: %s', async (env, isColoured) => {
    const { stdout } = await isccd(['explain', code], { env });
    expect(stdout.includes('\u001b')).toBe(isColoured);
  });

  it('are on for terminals', async () => {
    // Under CI, Node.js reports that terminals have no colours.
    const line = `env -u CI '${process.execPath}' '${MAIN}' explain ${code}`;
    const terminal = (env: Record<string, string>) =>
      run('script', ['-qec', line, '/dev/null'], { env: { TERM: 'xterm-256color', ...env } });
    expect((await terminal({})).stdout).toContain('\u001b[2mreadable');
    expect((await terminal({ NO_COLOR: '1' })).stdout).not.toContain('\u001b');
  });
});
