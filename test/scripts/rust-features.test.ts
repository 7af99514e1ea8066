/** The Rust tests link the dependencies that the addon was built of. With other features they would be built again. */
import { expect, it } from 'vitest';
import { ROOT } from '../deploy/support/dockerfile.js';
import { run } from '../support/command.js';

/** Dependencies with version and features, one a line. */
async function dependencies(...options: readonly string[]): Promise<readonly string[]> {
  const args = ['tree', '--locked', '--prefix', 'none', '-f', '{p} {f}', ...options];
  const { code, stdout, stderr } = await run('cargo', args, { cwd: ROOT });
  expect(code, stderr).toBe(0);
  return [...new Set(stdout.split('\n').map((line) => line.replace(/ \(\*\)$/, '')))].filter(
    (line) => line !== '',
  );
}

it('the addon and the tests of all crates use the same features of each dependency', async () => {
  const addon = await dependencies('-p', 'isccd-native', '-e', 'normal,build');
  const tests = await dependencies('--workspace', '-e', 'normal,build,dev');
  expect(addon.length).toBeGreaterThan(100);
  expect(addon.filter((line) => !tests.includes(line))).toEqual([]);
});
