/** The README says what is so: its tables of variables, and what its example command prints. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { variablesSection } from '../src/cli/variables.js';

const root = path.resolve(import.meta.dirname, '..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const run = promisify(execFile);

describe('the README', () => {
  it('has every variable, as declared (node scripts/readme.mjs writes them)', () => {
    expect(readme).toContain(variablesSection());
  });

  it('shows what the command prints', async () => {
    const [, command = '', output = ''] = /\$ isccd (.*)\n(.*)"units":/.exec(readme) ?? [];
    expect(command).not.toBe('');
    const main = path.join(root, 'dist/cli/main.js');
    const { stdout } = await run(process.execPath, [main, ...command.split(' ')]);
    expect(stdout.startsWith(output)).toBe(true);
  });

  it('names every subcommand', async () => {
    const { stdout } = await run(process.execPath, [path.join(root, 'dist/cli/main.js'), '--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    expect(commands).toContain('serve');
    for (const name of commands.filter((name) => name !== 'help')) expect(readme).toContain(`isccd ${name}`);
  });
});
