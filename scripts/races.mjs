/**
 * The list of races, `test/races.md`: tests that failed beside others and passed alone. The runner adds them, and who lands a
 * change commits the list. A race is mended within a week: `npm run check` fails on an older one.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { attempt, exists } from './lib.mjs';

const DAYS_MAX = 7;
const DAY_MS = 86_400_000;

/**
 * Adds tests to the list of the project in `folder`.
 *
 * @param {string} folder
 * @param {readonly string[]} names
 */
export function recordRaces(folder, names) {
  const commit =
    attempt('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder }).stdout?.trim() || 'no commit';
  const date = new Date().toISOString().slice(0, 10);
  const lines = names.map((name) => `- ${date}, ${commit}: ${name}\n`);
  appendFileSync(listOf(folder), lines.join(''));
  console.log(
    `isccd: passed alone, but failed beside others; repair the races in test/races.md: ${names.join(', ')}`,
  );
}

/**
 * The lines of races that are older than a week.
 *
 * @param {string} folder
 * @param {number} now in milliseconds
 */
export function overdueRaces(folder, now) {
  const file = listOf(folder);
  const lines = exists(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => {
    const date = /^- (\d{4}-\d\d-\d\d)/.exec(line)?.[1];
    return date !== undefined && now - Date.parse(date) > DAYS_MAX * DAY_MS;
  });
}

function listOf(folder) {
  return path.join(folder, 'test', 'races.md');
}
