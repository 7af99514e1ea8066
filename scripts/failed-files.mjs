/** A vitest reporter: writes the failed test files to {@link FAILED_FILES}, or null if errors belong to no file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib.mjs';

/** JSON: `string[] | null`, paths relative to the root. */
export const FAILED_FILES = path.join(root, '.setup', 'failed-files.json');

export default class FailedFiles {
  onTestRunEnd(modules, unhandledErrors) {
    const failed = modules
      .filter((module) => !module.ok())
      .map((module) => path.relative(root, module.moduleId));
    mkdirSync(path.dirname(FAILED_FILES), { recursive: true });
    writeFileSync(FAILED_FILES, JSON.stringify(unhandledErrors.length > 0 ? null : failed));
  }
}
