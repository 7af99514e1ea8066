/** The manual matches the help. */
import path from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { checkCommands } from '../../src/cli/commands/check.js';
import { allCommands, commandTree } from '../../src/cli/completion/command-tree.js';
import { EXAMPLES } from '../../src/cli/help/examples.js';
import { isccd } from '../support/command.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('the manual page', () => {
  it('is generated from the command tree', async () => {
    const { stdout } = await isccd(['man']);
    await expect(stdout).toMatchFileSnapshot(path.join(ROOT, 'man/isccd.1'));
    for (const examples of Object.values(EXAMPLES)) {
      const [first] = examples;
      expect(stdout).toContain(first?.line.replaceAll('\\', '\\e').replaceAll('-', '\\-'));
    }
  });
});

it('the command tree contains the definitions of commander', () => {
  const root = new Command('isccd');
  checkCommands(root);
  const names = allCommands(commandTree(root)).map(({ path }) => path.join(' '));
  expect(names).toEqual(['', 'check', 'check config', 'check health']);
  const config = allCommands(commandTree(root)).find(({ path }) => path[1] === 'config');
  expect(config?.arguments[0]).toMatchObject({
    term: '[services...]',
    choices: expect.arrayContaining(['codes']),
  });
  expect(config?.options.map(({ flags }) => flags)).toEqual([['--json'], ['-h', '--help']]);
});
