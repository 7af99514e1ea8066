/**
 * The Python package `isccd-client`: `node scripts/pack-python.mjs FOLDER` writes its wheel and its sdist into FOLDER. Needs
 * Python 3.11 or later with venv; the package itself runs on 3.10. The same sources give the same bytes.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, run } from './lib.mjs';

const BUILD = 'build==1.6.1';

/** What an installation in the checkout generates; it may be older than the sources. */
const GENERATED = /isccd_client\/(?:openapi|_sync)(?:\/|$)|__pycache__|\.egg-info|\/(?:dist|venv)(?:\/|$)/;

/** Builds the sdist, and of it the wheel, so that both are complete. */
export function packPython(folder) {
  const target = path.resolve(folder);
  const draft = mkdtempSync(path.join(tmpdir(), 'isccd-python-'));
  try {
    mkdirSync(target, { recursive: true });
    const sources = path.join(draft, 'clients', 'python');
    cpSync(path.join(root, 'clients', 'python'), sources, {
      recursive: true,
      filter: (file) => !GENERATED.test(file.replaceAll('\\', '/').slice(root.length)),
    });
    cpSync(path.join(root, 'openapi'), path.join(draft, 'openapi'), { recursive: true });
    const venv = path.join(draft, 'venv');
    run(process.platform === 'win32' ? 'python' : 'python3', ['-m', 'venv', venv]);
    const python = path.join(venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
    run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', BUILD]);
    run(python, ['-m', 'build', '--outdir', target, sources]);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const [, script, folder] = process.argv;
if (script === import.meta.filename) {
  if (folder === undefined) {
    console.error('usage: node scripts/pack-python.mjs FOLDER');
    process.exit(1);
  }
  packPython(folder);
}
