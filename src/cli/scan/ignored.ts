/** Groups that the user has marked as not belonging together, in `ignored.ndjson` of the folder of a scan. */
import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandFailed, reason } from '../terminal/failure.js';
import type { Group } from './groups.js';

const FILE = 'ignored.ndjson';
/** The groups of the last report, with their numbers. */
export const GROUPS_FILE = 'groups.ndjson';

/** A line per group: its number, and the paths of its members. */
export function* groupLines(groups: readonly Group[]): Generator<string> {
  for (const [at, { kind, members }] of groups.entries())
    yield `${JSON.stringify({ group: at + 1, kind, paths: members.map(({ file }) => file.path) })}\n`;
}

/** Groups of which not all members are in one ignored group. A new member brings a group back. */
export async function withoutIgnored(groups: readonly Group[], folder: string): Promise<Group[]> {
  const text = await readFile(path.join(folder, FILE), 'utf8').catch(() => '');
  const ignored = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => new Set((JSON.parse(line) as { readonly paths: readonly string[] }).paths));
  if (ignored.length === 0) return [...groups];
  return groups.filter(
    ({ members }) => !ignored.some((paths) => members.every(({ file }) => paths.has(file.path))),
  );
}

/** Ignores groups of the last report by their numbers. @throws {CommandFailed} if there is no such group */
export async function ignoreGroups(folder: string, numbers: readonly number[]): Promise<number> {
  const text = await readFile(path.join(folder, GROUPS_FILE), 'utf8').catch((error: unknown) => {
    throw new CommandFailed(`${folder} has no report: ${reason(error)}`);
  });
  const groups = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly group: number });
  for (const number of numbers)
    if (!groups.some(({ group }) => group === number))
      throw new CommandFailed(`the report in ${folder} has no group ${number}`);
  const lines = groups
    .filter(({ group }) => numbers.includes(group))
    .map((group) => `${JSON.stringify(group)}\n`);
  await appendFile(path.join(folder, FILE), lines.join(''));
  return lines.length;
}
