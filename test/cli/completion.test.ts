/** Completion scripts, run in their shells. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isccd, run } from '../support/command.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';

const COMMANDS = ['check', 'code', 'compare', 'completion', 'explain', 'index', 'serve', 'store'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-completion-'));
  await writeFile(path.join(folder, 'photo.jpg'), '');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function script(name: string): Promise<string> {
  const { code, stdout } = await isccd(['completion', name]);
  expect(code).toBe(0);
  const file = path.join(folder, `isccd.${name}`);
  await writeFile(file, stdout);
  return file;
}

/** The same expectations for every shell. */
function suite(candidates: (line: string) => Promise<string[]>): void {
  it('completes commands', async () => {
    expect(await candidates('isccd ')).toEqual(expect.arrayContaining(COMMANDS));
    expect(await candidates('isccd se')).toEqual(['seed', 'selftest', 'serve']);
    expect(await candidates('isccd store account di')).toEqual(['disable']);
    expect(await candidates('isccd ')).not.toContain('man');
  });

  it('completes options of the command', async () => {
    const options = await candidates('isccd code --');
    expect(options).toEqual(expect.arrayContaining(['--help', '--jobs', '--json', '--no-granular']));
    expect(options).not.toContain('--env');
    expect(await candidates('isccd serve --e')).toEqual(['--env']);
  });

  it('completes values', async () => {
    expect(await candidates('isccd serve s')).toEqual(['search', 'store']);
    expect(await candidates('isccd completion ')).toEqual(['bash', 'fish', 'zsh']);
    expect(await candidates('isccd seed isrc --form ')).toEqual(['compact', 'json-ld']);
  });
}

const words = (text: string) =>
  text
    .split('\n')
    .filter((word) => word !== '')
    .sort();

describe('bash', () => {
  let file: string;
  beforeAll(async () => {
    file = await script('bash');
  });

  suite(async (line) => {
    const call = `source ${file}; COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _isccd; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { code, stdout, stderr } = await run('bash', ['--norc', '-c', call], { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
    return words(stdout);
  });

  it('completes files in an interactive shell', async () => {
    // Only readline can fall back to its own completion of files.
    const keys = `source ${file}\nisccd() { printf 'GOT:%s\\n' "$*"; }\nisccd code pho\t\nexit\n`;
    const { stdout } = await run('script', ['-qec', 'bash --norc --noprofile -i', '/dev/null'], {
      cwd: folder,
      env: { TERM: 'dumb', PS1: '' },
      input: keys,
    });
    expect(stdout).toContain('GOT:code photo.jpg');
  });
});

describe('zsh', () => {
  let file: string;
  let zsh: string;
  beforeAll(async () => {
    [file, zsh] = [await script('zsh'), debianProgram(['zsh'], 'zsh')];
  }, INSTALL_MAX_MS);

  suite(async (line) => {
    // Replaces zsh's own functions, which work only in interactive completion.
    const call = `compdef() { :; }; compadd() { print -rl -- "$@"; }; _files() { print -rl -- *; }
      _describe() { print -rl -- "\${(@P)@[-1]%%:*}"; }
      source ${file}; words=(${line.replace(/ $/, " ''")}); CURRENT=$#words; _isccd`;
    const { code, stdout, stderr } = await run(zsh, ['-f', '-c', call], { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
    const typed = / $/.test(line) ? '' : (line.split(' ').at(-1) ?? '');
    return words(stdout).filter((word) => word.startsWith(typed));
  });
});

describe('fish', () => {
  let file: string;
  let fish: string;
  beforeAll(async () => {
    [file, fish] = [await script('fish'), debianProgram(['fish'], 'fish')];
  }, INSTALL_MAX_MS);

  const candidates = async (line: string) => {
    const call = `source ${file}; complete -C '${line}'`;
    const { code, stdout, stderr } = await run(fish, ['--no-config', '-c', call], { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
    return words(stdout.replace(/\t.*$/gm, ''));
  };
  suite(candidates);

  it('completes files', async () => {
    expect(await candidates('isccd code pho')).toEqual(['photo.jpg']);
    expect(await candidates('isccd store account list ')).toEqual([]);
  });
});

it('refuses other shells', async () => {
  expect(await isccd(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
});
