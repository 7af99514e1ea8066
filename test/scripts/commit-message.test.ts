/** The rule for commit messages, in a checkout and as a hook. */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { installHook, problemsOf, wrongCommits } from '../../scripts/commit-message.mjs';
import { run } from '../support/command.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const REASON = '\n\nProgress requests of closed pages waited for ever.\n';
const CODE = ['src/services/codes/jobs/progress.ts'];

describe('a message', () => {
  it.each([
    ['Time out progress long-polls', CODE],
    ['Embed thumbnails at 90 % quality; keep the old ones', CODE],
    ['Bring back the second transport', CODE],
    [`Reject ${'x'.repeat(65)}`, CODE],
  ])('may be "%s" with a reason', (subject, files) => {
    expect(problemsOf(subject + REASON, files)).toEqual([]);
  });

  it.each([
    ['Fix a typo in the reference', CODE],
    ['Describe backups of the store', ['docs/how-to/back-up.md', 'README.md']],
    ["Merge branch 'main'", CODE],
    ['Revert "Time out progress long-polls"', CODE],
    ['fixup! Time out progress long-polls', CODE],
  ])('may be "%s" alone', (subject, files) => {
    expect(problemsOf(subject, files)).toEqual([]);
  });

  it.each([
    ['Time out progress long-polls', ['the reason is missing']],
    ['Time out progress long-polls\n\nSigned-off-by: A B <a@example.com>', ['the reason is missing']],
    [`Time out progress long-polls\nbecause pages close${REASON}`, ['the second line must be empty']],
    [`Reject ${'x'.repeat(66)}${REASON}`, ['the subject has 73 characters']],
    [`One module for uploads; one choice of the id; shorter tests${REASON}`, ['three things']],
    [`Added a time-out${REASON}`, ['the imperative']],
    [`Adds a time-out${REASON}`, ['the imperative']],
    [`Renaming indexes syncs folders${REASON}`, ['the imperative']],
    [`Time out progress long-polls.${REASON}`, ['full stop']],
    [`time out progress long-polls${REASON}`, ['capital letter']],
    [`Progress${REASON}`, ['the thing and the effect']],
    ['', ['the thing and the effect', 'capital letter', 'the reason']],
  ])('may not be %j', (message, expected) => {
    const problems = problemsOf(message, CODE);
    expect(problems).toHaveLength(expected.length);
    for (const [at, part] of expected.entries()) expect(problems[at]).toContain(part);
  });

  it('is read without comments and without the diff of a verbose commit', () => {
    const help = '\n# Please enter the commit message\n';
    const diff = '\n# ------------------------ >8 ------------------------\ndiff --git a/x b/x\n+reason\n';
    const [problem = ''] = problemsOf(`Time out progress long-polls${help}${diff}`, CODE);
    expect(problem).toContain('the reason is missing');
    expect(problemsOf(`Time out progress long-polls${REASON}${help}${diff}`, CODE)).toEqual([]);
  });
});

/** A checkout with one commit that breaks the rule, before the rule is introduced with the second. */
async function checkout() {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-commits-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const git = async (...args: string[]) => {
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgSign=false'];
    return run('git', [...identity, ...args], { cwd: folder });
  };
  const commit = async (file: string, message: string, ...options: string[]) => {
    await writeFile(path.join(folder, file), message);
    await git('add', '-A');
    return git('commit', '-q', '-m', message, ...options);
  };
  await git('init', '-q');
  await commit('old.ts', 'old');
  await mkdir(path.join(folder, 'scripts'));
  for (const name of ['commit-message.mjs', 'lib.mjs', 'hooks'])
    await cp(path.join(ROOT, 'scripts', name), path.join(folder, 'scripts', name), { recursive: true });
  await commit('start.ts', 'introduces the rule');
  return { folder, git, commit };
}

describe('the commits of a checkout', () => {
  it('are checked after the rule was introduced and since the last tag', async () => {
    const { folder, git, commit } = await checkout();
    expect(wrongCommits(folder)).toEqual([]);
    await commit('a.ts', `Add a${REASON}`);
    await commit('b.ts', 'Add b');
    await commit('c.md', 'Describe c');
    const [wrong, ...others] = wrongCommits(folder);
    expect([wrong?.subject, others.length]).toEqual(['Add b', 0]);
    await git('tag', 'v1');
    expect(wrongCommits(folder)).toEqual([]);
    await commit('d.ts', 'Added d');
    expect(wrongCommits(folder).map(({ subject }) => subject)).toEqual(['Added d']);
  });

  it('are not checked outside of git, and in a shallow clone as far as it goes', async () => {
    const { folder, git, commit } = await checkout();
    await commit('a.ts', 'Add a');
    await commit('b.ts', 'Add b');
    const clone = `${folder}-clone`;
    onTestFinished(() => rm(clone, { recursive: true }));
    await git('clone', '-q', '--depth=2', `file://${folder}`, clone);
    expect(wrongCommits(clone).map(({ subject }) => subject)).toEqual(['Add b']);
    await rm(path.join(clone, '.git'), { recursive: true });
    expect(wrongCommits(clone)).toEqual([]);
  });
});

describe('the hook', () => {
  it('refuses a commit with the reasons, from any folder, and accepts a good one', async () => {
    const { folder, git, commit } = await checkout();
    installHook(folder);
    const refused = await commit('a.ts', 'Added a');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('isccd: commit message: the subject must be in the imperative');
    expect(refused.stderr).toContain('isccd: commit message: the reason is missing');
    const accepted = await git('-C', 'scripts', 'commit', '-q', '-m', `Add a${REASON}`);
    expect([accepted.code, accepted.stderr]).toEqual([0, '']);
    expect((await commit('c.md', 'Describe c')).code).toBe(0);
  });

  it('is not installed over hooks of the developer, nor outside of git', async () => {
    const { folder, git } = await checkout();
    const hooks = async () => (await git('config', '--get', 'core.hooksPath')).stdout.trim();
    await git('config', 'core.hooksPath', '/own/hooks');
    installHook(folder);
    expect(await hooks()).toBe('/own/hooks');
    await git('config', '--unset', 'core.hooksPath');
    installHook(path.join(folder, 'scripts'));
    expect(await hooks()).toBe('');
    installHook(folder);
    expect(await hooks()).toBe('scripts/hooks');
  });
});
