/** Dashboard accounts, managed on the command line. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Accounts } from '../../src/services/dashboard/accounts/accounts.js';
import { openDatabase } from '../../src/storage/database/open.js';

const MAIN = path.resolve(import.meta.dirname, '../../dist/cli/main.js');
const PASSWORD = 'correct-Horse-7-battery';
const OTHER = 'another-Good-1-instead';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-accounts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program; types each answer when the output ends with its question. */
function run(
  program: string,
  args: readonly string[],
  input: string | readonly (readonly [question: string, answer: string])[] = '',
): Promise<Ended> {
  const env = { ...process.env, MSTORE_DATA_DIR: folder, DATABASE_URL: '' };
  const child = spawn(program, args, { env, cwd: folder });
  const answers = typeof input === 'string' ? [] : [...input];
  if (typeof input === 'string') child.stdin.end(input);
  let output = '';
  const onData = (data: Buffer) => {
    output += data.toString();
    const [question, answer] = answers[0] ?? [];
    if (question === undefined || !output.trimEnd().endsWith(question)) return;
    answers.shift();
    child.stdin.write(`${answer}\r`);
  };
  child.stdout.on('data', onData);
  child.stderr.on('data', onData);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

function account(args: readonly string[], input = ''): Promise<Ended> {
  return run(process.execPath, [MAIN, 'store', 'account', ...args], input);
}

async function verify(name: string, password: string): Promise<boolean> {
  const database = await openDatabase(undefined, folder);
  try {
    const accounts = new Accounts(database.db);
    return (await accounts.verify(await accounts.find(name), password)) !== undefined;
  } finally {
    await database.close();
  }
}

describe('isccd store account', () => {
  test('creates, lists, changes, disables and enables accounts', async () => {
    expect((await account(['add', 'Olga', '--can-delete', '--password-stdin'], `${PASSWORD}\n`)).code).toBe(
      0,
    );
    expect((await account(['add', 'rita', '--password-stdin'], `${PASSWORD}\r\n`)).code).toBe(0);
    expect(await verify('olga', PASSWORD)).toBe(true);
    const listed = (await account(['list', '--json'])).output.trim().split('\n');
    expect(listed.map((line) => JSON.parse(line))).toMatchObject([
      { username: 'olga', role: 'deleter', isDisabled: false },
      { username: 'rita', role: 'viewer', isDisabled: false },
    ]);
    expect((await account(['passwd', 'olga', '--password-stdin'], OTHER)).code).toBe(0);
    expect([await verify('olga', PASSWORD), await verify('olga', OTHER)]).toEqual([false, true]);
    expect((await account(['disable', 'olga'])).code).toBe(0);
    expect(await verify('olga', OTHER)).toBe(false);
    expect((await account(['list'])).output).toMatch(
      /olga +deleter .* disabled\n[\s\S]*rita +viewer .*never logged in/,
    );
    expect((await account(['enable', 'olga'])).code).toBe(0);
    expect(await verify('olga', OTHER)).toBe(true);
  });

  test('sets roles, unlocks, and shows all changes in the audit log', async () => {
    const added = await account(
      ['add', 'rolf', '--role', 'operator', '--password-stdin', '--json'],
      PASSWORD,
    );
    expect(added.output).toContain('"role":"operator"');
    expect((await account(['role', 'Rolf', 'admin'])).code).toBe(0);
    expect(await account(['role', 'rolf', 'king'])).toMatchObject({
      code: 2,
      output: expect.stringContaining('the role must be one of viewer, operator, deleter, admin'),
    });
    expect((await account(['unlock', 'rolf'])).code).toBe(0);
    expect(await account(['remove-factor', 'rolf'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('the account has no second factor'),
    });
    const audit = (...args: string[]) =>
      run(process.execPath, [MAIN, 'store', 'audit', '--subject', 'rolf', ...args]);
    const lines = (await audit('--json')).output.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        action: 'account-added',
        actorKind: 'command',
        actor: expect.any(String),
        after: { role: 'operator' },
      },
      { action: 'account-role', before: { role: 'operator' }, after: { role: 'admin' } },
      { action: 'account-unlocked' },
    ]);
    expect((await audit()).output).toContain('account-role rolf {"role":"operator"} -> {"role":"admin"}');
    expect((await audit('--csv', '--action', 'account-role')).output.split('\r\n')).toHaveLength(3);
    expect(await audit('--from', 'yesterday')).toMatchObject({ code: 2 });
    expect(await audit('--action', 'explode')).toMatchObject({ code: 2 });
  });

  test.each([
    ['eleven chars', 'abcdefghij1', 'at least 12 characters'],
    ['digits', '482910573648', 'digits only'],
    ['the user name', 'Annabel.Long', 'the user name'],
    ['a common one', 'Password1234', 'most common'],
    ['two characters', 'ababababababab', 'different characters'],
    ['an empty string', '', 'at least 12 characters'],
  ])('refuses %s as a password', async (_, password, rule) => {
    const { code, output } = await account(['add', 'annabel.long', '--password-stdin'], `${password}\n`);
    expect([code, output]).toEqual([1, expect.stringContaining(rule)]);
    expect(output).not.toContain(password === '' ? '\u0000' : password);
  });

  test.each([
    [['add', 'rita'], 'an account with this name exists already'],
    [['add', 'no spaces'], 'a user name must have 1 to 64 characters'],
    [['add', '-x'.repeat(40)], 'a user name must have 1 to 64 characters'],
    [['passwd', 'nobody'], 'no account has this name'],
  ])('%j is refused', async ([command = '', name = ''], text) => {
    await account(['add', 'rita', '--password-stdin'], PASSWORD);
    const { code, output } = await account([command, '--password-stdin', '--', name], PASSWORD);
    expect([code, output]).toEqual([1, expect.stringContaining(text)]);
  });

  test('refuses to disable an unknown account, and to prompt without a terminal', async () => {
    expect(await account(['disable', 'nobody'])).toMatchObject({ code: 1 });
    const { code, output } = await account(['add', 'mute'], PASSWORD);
    expect([code, output]).toEqual([1, expect.stringContaining('--password-stdin')]);
  });

  test('prompts twice on a terminal, without echo', async () => {
    const command = `${process.execPath} ${MAIN} store account add terry`;
    const typed = (second: string) =>
      [
        ['Password:', PASSWORD],
        ['Repeat password:', second],
      ] as const;
    const differ = await run('script', ['-qec', command, '/dev/null'], typed(OTHER));
    expect([differ.code, differ.output]).toEqual([1, expect.stringContaining('the passwords differ')]);
    const { code, output } = await run('script', ['-qec', command, '/dev/null'], typed(`x\u007f${PASSWORD}`));
    expect([code, output]).toEqual([0, expect.stringContaining('account terry created')]);
    expect(differ.output + output).not.toContain(PASSWORD);
    expect(await verify('terry', PASSWORD)).toBe(true);
  });
});
