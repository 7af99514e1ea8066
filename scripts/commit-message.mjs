/**
 * The rule for commit messages, which CONTRIBUTING.md and STYLE.md explain. `scripts/hooks/commit-msg` applies it to a new
 * commit (`node scripts/commit-message.mjs FILE`), `npm run check` to the commits since the last release.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { attempt, exists, root } from './lib.mjs';

const SUBJECT_MAX = 72;
const COMMITS_MAX = 50;
/** Below this line, `git commit --verbose` shows the diff. */
const SCISSORS = /^# -+ >8 -+$/m;
/** Messages that git writes, and commits that are joined to another before they land. */
const BY_GIT = /^(?:Merge |Revert "|fixup! |squash! |amend! )/;
/** `Added`, `Adding`, `Adds`; not verbs that end like these. */
const NOT_IMPERATIVE =
  /^(?!(?:Bring|Ping|Embed|Feed|Need|Seed|Shed|Speed)\b)\w+(?:ed|ing)\b|^(?:Adds|Allows|Changes|Fixes|Improves|Makes|Removes|Renames|Updates|Uses)\b/;
const DOCUMENTATION = /^docs\/|\.md$/;
const TYPO = /\b(?:typos?|spelling|wording)\b/i;

/**
 * What is wrong with a message, one sentence per problem.
 *
 * @param {string} message
 * @param {readonly string[]} files the changed files, from the root
 */
export function problemsOf(message, files) {
  const [text = ''] = message.split(SCISSORS);
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  const [subject = '', second = '', ...rest] = lines.join('\n').trim().split('\n');
  if (BY_GIT.test(subject)) return [];
  const body = [second, ...rest].filter((line) => !/^[\w-]+: \S+ .*<.+>$/.test(line));
  const problems = [];
  if (subject.length > SUBJECT_MAX)
    problems.push(`the subject has ${subject.length} characters; at most ${SUBJECT_MAX} are allowed`);
  if (subject.split(/\s+/).length < 2) problems.push('the subject must name the thing and the effect');
  if (!/^\p{Lu}/u.test(subject)) problems.push('the subject must start with a capital letter');
  if (subject.endsWith('.')) problems.push('the subject must not end with a full stop');
  if (NOT_IMPERATIVE.test(subject))
    problems.push('the subject must be in the imperative: "Add", not "Added"');
  if (subject.split(';').length > 2)
    problems.push('the subject lists three things: name their common effect, or make three commits');
  if (second.trim() !== '') problems.push('the second line must be empty');
  const explainsItself =
    TYPO.test(subject) || (files.length > 0 && files.every((file) => DOCUMENTATION.test(file)));
  if (!explainsItself && body.join('').trim() === '')
    problems.push('the reason is missing: say below the subject why the change is needed');
  return problems;
}

/**
 * The commits that break the rule: of those since the last tag, at most the last 50, and only those after the commit that
 * introduced the rule. Empty outside a checkout of git.
 *
 * @param {string} folder
 * @returns {{ commit: string, subject: string, problems: readonly string[] }[]}
 */
export function wrongCommits(folder) {
  if (!exists(path.join(folder, '.git'))) return [];
  const git = (...args) => attempt('git', args, { cwd: folder }).stdout?.trim() ?? '';
  // In a shallow clone, the oldest commit has added every file.
  const [start = ''] = git('log', '--format=%H', '--diff-filter=A', '--', 'scripts/commit-message.mjs').split(
    '\n',
  );
  if (start === '') return [];
  const tag = git('describe', '--tags', '--abbrev=0');
  const known = [start, ...(tag === '' ? [] : [tag])].map((commit) => `^${commit}`);
  const commits = git('rev-list', '--no-merges', `--max-count=${COMMITS_MAX}`, 'HEAD', ...known);
  return commits
    .split('\n')
    .filter((commit) => commit !== '')
    .map((commit) => {
      const message = git('log', '-1', '--format=%B', commit);
      const files = git('diff-tree', '-r', '--no-commit-id', '--name-only', commit).split('\n');
      return { commit, subject: message.split('\n')[0], problems: problemsOf(message, files) };
    })
    .filter(({ problems }) => problems.length > 0);
}

/**
 * Makes git apply the rule to new commits of a checkout that has no other hooks. Does nothing in a folder without `.git`, such
 * as that of a released archive, and without git.
 *
 * @param {string} folder
 */
export function installHook(folder) {
  if (!exists(path.join(folder, '.git'))) return;
  const { status } = attempt('git', ['config', '--get', 'core.hooksPath'], { cwd: folder });
  const isUnset = status === 1;
  if (isUnset) attempt('git', ['config', 'core.hooksPath', 'scripts/hooks'], { cwd: folder });
}

/** Checks the commits of this checkout; ends the process if one breaks the rule. */
export function checkCommits() {
  const wrong = wrongCommits(root);
  for (const { commit, subject, problems } of wrong)
    console.error(`isccd: commit ${commit.slice(0, 9)} "${subject}": ${problems.join('; ')}`);
  if (wrong.length > 0) process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const staged = attempt('git', ['diff', '--cached', '--name-only'], { cwd: process.cwd() }).stdout ?? '';
  const files = staged.split('\n').filter((file) => file !== '');
  const problems = problemsOf(readFileSync(process.argv[2], 'utf8'), files);
  for (const problem of problems) console.error(`isccd: commit message: ${problem}`);
  if (problems.length > 0) process.exit(1);
}
