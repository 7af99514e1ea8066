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
    const nameOf = (module) => path.relative(root, module.moduleId).replaceAll(path.sep, '/');
    const failed = modules.filter((module) => !module.ok()).map(nameOf);
    const seconds = modules.map((module) => [nameOf(module), secondsOf(module.diagnostic())]);
    const report = {
      failed: unhandledErrors.length > 0 ? null : failed,
      seconds: Object.fromEntries(seconds),
    };
    mkdirSync(path.dirname(REPORT), { recursive: true });
    writeFileSync(REPORT, JSON.stringify(report));
  }
}

/** Without the preparation of the process, which files share. */
function secondsOf({ collectDuration, setupDuration, duration }) {
  return (collectDuration + setupDuration + duration) / 1000;
}
