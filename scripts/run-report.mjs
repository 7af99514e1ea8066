/** A vitest reporter: writes what the runner needs to know of a run to {@link REPORT}. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib.mjs';

/**
 * JSON: `failed`, the failed test files, or null if errors belong to no file, and `seconds` by test file. Paths are relative
 * to the root.
 */
export const REPORT = path.join(root, '.setup', 'test-run.json');

export default class RunReport {
  onTestRunEnd(modules, unhandledErrors) {
    const seconds = modules.map((module) => [nameOf(module.moduleId), secondsOf(module.diagnostic())]);
    const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId);
    const report = { failed: failedFiles(failed, unhandledErrors), seconds: Object.fromEntries(seconds) };
    mkdirSync(path.dirname(REPORT), { recursive: true });
    writeFileSync(REPORT, JSON.stringify(report));
  }
}

/**
 * Paths of the files that failed and of those whose errors were not handled, which vitest does not count as failed. Null if
 * an error names no file.
 *
 * @param {readonly string[]} failed absolute
 * @param {readonly unknown[]} unhandledErrors vitest adds the file to an error
 * @returns {string[] | null}
 */
export function failedFiles(failed, unhandledErrors) {
  const files = unhandledErrors.map((error) => error?.VITEST_TEST_PATH);
  if (files.includes(undefined)) return null;
  return [...new Set([...failed, ...files])].map(nameOf);
}

function nameOf(file) {
  return path.relative(root, file).replaceAll(path.sep, '/');
}

/** Without the preparation of the process, which files share. */
function secondsOf({ collectDuration, setupDuration, duration }) {
  return (collectDuration + setupDuration + duration) / 1000;
}
