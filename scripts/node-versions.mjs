/** Other versions of Node.js for tests, from npm packages (100 MB each), installed once into `.setup/nodes`. */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { exists, root, run } from './lib.mjs';

/** First-class versions, next to Node.js 20. The CI matrix has the same majors. */
export const NODE_VERSIONS = ['22.23.3', '24.21.0', '26.10.0'];
/** The oldest version that works. */
export const NODE_OLDEST = '20.20.2';
/** The last version that is refused. */
export const NODE_TOO_OLD = '18.20.8';

/** Path of the executable of this version. Safe for concurrent callers. */
export function nodeProgram(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = path.join(root, '.setup', 'nodes', version);
  const program = path.join(folder, 'node_modules', name, 'bin', 'node');
  if (exists(program)) return program;
  mkdirSync(path.dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}-`);
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  run('npm', ['install', '--prefix', draft, ...quiet, '--prefer-offline', `${name}@${version}`]);
  try {
    renameSync(draft, folder);
  } catch (error) {
    // Another caller was faster: a folder with files is not replaced.
    if (!exists(program)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
  return program;
}
