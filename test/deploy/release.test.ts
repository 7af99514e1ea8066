/**
 * A trial release: all packages of this platform through a registry on this machine into an empty folder. Takes one minute,
 * half of it for installing from the registry; the registry itself is installed once (20 s).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../support/command.js';
import { ROOT } from './support/dockerfile.js';

const RELEASE_MS_MAX = 900_000;
const script = path.join(ROOT, 'scripts/release.mjs');

it(
  'a trial release installs without compilers, serves, and makes a code with the client',
  async () => {
    const cwd = await mkdtemp(path.join(tmpdir(), 'isccd-trial-'));
    onTestFinished(() => rm(cwd, { recursive: true }));
    const pack = path.join(ROOT, 'scripts/pack.mjs');
    const packed = await run(process.execPath, [pack, 'packages'], { cwd });
    expect(packed.code, packed.stderr).toBe(0);
    // As the workflow names it. For npm, `packages/NAME.tgz` is a repository.
    const { code, stdout, stderr } = await run(process.execPath, [script, '--dry-run', 'packages'], { cwd });
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/a clone gets @isccd\/native-\S+@\S+: isccd\.\S+\.node\n/);
    expect(stdout).toMatch(/npm install isccd@\S+: 1\d\d\.\d MB/);
    expect(stdout).toMatch(/npm install isccd-client@\S+: \d\.\d MB/);
    expect(stdout).toMatch(/code by client and command: ISCC:KE/);
  },
  RELEASE_MS_MAX,
);

it('a release is refused if tag, changelog and repository disagree with the package', async () => {
  const env = { GITHUB_REF_NAME: 'v99.0.0', GITHUB_REPOSITORY: 'someone/else' };
  const { code, stderr } = await run(process.execPath, [script, '--check'], { cwd: ROOT, env });
  expect(code).toBe(1);
  const problems = stderr.trim().split('\n');
  expect(problems[0]).toMatch(/the tag is v99\.0\.0, but package\.json has version \d/);
  expect(problems.at(-1)).toContain('this is someone/else: provenance would be refused');
});
