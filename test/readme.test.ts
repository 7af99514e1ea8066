/** Checks the README. Its code blocks run with those of the documentation. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const run = promisify(execFile);

describe('the README', () => {
  it('lists every subcommand', async () => {
    const { stdout } = await run(process.execPath, [path.join(root, 'dist/cli/main.js'), '--help']);
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
    expect(commands).toContain('serve');
    for (const name of commands.filter((name) => name !== 'help')) expect(readme).toContain(`isccd ${name}`);
  });

  it('has badges of the licence and of the versions of Node.js that CI tests', () => {
    const file = (name: string) => readFileSync(path.join(root, name), 'utf8');
    const badges = [...readme.matchAll(/^\[!\[([^\]]+)\]\((docs\/images\/badge-\w+\.svg)\)/gm)];
    const { license } = JSON.parse(file('package.json')) as { license: string };
    const [, versions = ''] = /node: \[([\d, ]+)\]/.exec(file('.github/workflows/ci.yml')) ?? [];
    expect(badges.map(([, title]) => title)).toEqual([
      `Licence: ${license}`,
      `Node.js: ${versions.replaceAll(', ', ' | ')}`,
    ]);
    for (const [, title = '', image = ''] of badges)
      expect(file(image).toLowerCase()).toContain(`<title>${title.toLowerCase()}</title>`);
  });
});
