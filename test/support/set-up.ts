/** Installs programs and packages that only tests need, once, into `.setup/tests`. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../../.setup/tests');
const run = promisify(execFile);

/** Installing from a mirror can be slow. */
export const INSTALL_MAX_MS = 600_000;

/** The folder with this name; `make` fills it if it is missing. Safe for concurrent tests. */
export async function folderOf(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = path.join(root, name);
  if (existsSync(folder)) return folder;
  await mkdir(root, { recursive: true });
  const draft = await mkdtemp(`${folder}-`);
  try {
    await make(draft);
    await rename(draft, folder);
  } catch (error) {
    // Another test was faster: rename fails if the target has files.
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

/**
 * Path of a program with one of these names: from the PATH, else from Debian packages, which are installed.
 *
 * @throws with the command to run if it is missing and cannot be installed
 */
export function debianProgram(names: readonly string[], packages: string): string {
  return debianPath(names.map((name) => `command -v ${name}`).join(' || '), names[0] ?? '', packages);
}

/** Path of Debian's Python with this module; else it is installed from Debian packages. */
export function debianPython(module: string, packages: string): string {
  const python = '/usr/bin/python3';
  return debianPath(`{ ${python} -c 'import ${module}' && echo ${python}; }`, module, packages);
}

/** What the shell command `find` prints; if it fails, after packages are installed. `what` is for the error. */
function debianPath(find: string, what: string, packages: string): string {
  const install = `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages}`;
  // Other test files wait for the lock.
  const lock = path.join(tmpdir(), `isccd-apt.lock`);
  const script = `{ ${find}; } || { ${install} >&2; ${find}; }`;
  const { stdout, stderr } = spawnSync('flock', [lock, 'sh', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  const [found] = (stdout ?? '').trim().split('\n');
  if (!found) throw new Error(`These tests need ${what}. As root: ${install}\n${stderr}`);
  return found;
}

/** Path of the package `onnxruntime-node`, installed without its download script. */
export async function onnxRuntime(): Promise<string> {
  return path.join(await npmTools('onnxruntime-node@1.30.0'), 'onnxruntime-node');
}

/** Path of a `node_modules` folder with these packages, installed without their scripts. */
export async function npmTools(...packages: readonly string[]): Promise<string> {
  const name = `npm-${packages.join('-').replaceAll('/', '-')}`;
  const folder = await folderOf(name, async (draft) => {
    const args = ['install', '--prefix', draft, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
    await run('npm', [...args, '--prefer-offline', ...packages], { timeout: INSTALL_MAX_MS });
  });
  return path.join(folder, 'node_modules');
}

/** Folder of an unpacked Python package, without its dependencies. */
export function pythonPackage(requirement: string): Promise<string> {
  return folderOf(requirement.replace('==', '-'), async (draft) => {
    await pip(await pythonTools(), ['--no-deps', '--target', draft, requirement]);
  });
}

/** Path of a Python with these packages. */
export async function pythonWith(...requirements: readonly string[]): Promise<string> {
  const name = `python-${requirements.join('-').replaceAll('==', '-')}`;
  // A virtual environment contains its own path, so it cannot be created elsewhere and renamed.
  const folder = path.join(root, name);
  const python = path.join(folder, 'bin', 'python');
  const complete = path.join(folder, 'complete');
  if (existsSync(complete)) return python;
  await mkdir(root, { recursive: true });
  // Other test files wait for the lock: a program that is installed again cannot be started meanwhile.
  const install = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const steps = [
    ['python3', '-m', 'venv', folder],
    ...(requirements.length === 0 ? [] : [[...install, ...requirements]]),
    ['mkdir', '-p', complete],
  ];
  const script = steps.map((step) => step.map((word) => `'${word}'`).join(' ')).join(' && ');
  await run('flock', [`${folder}.lock`, 'sh', '-c', `[ -e '${complete}' ] || { ${script}; }`], {
    timeout: INSTALL_MAX_MS,
  });
  return python;
}

function pythonTools(): Promise<string> {
  return pythonWith();
}

async function pip(python: string, args: readonly string[]): Promise<void> {
  if (args.length === 0) return;
  const command = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...args];
  await run(python, command, { timeout: INSTALL_MAX_MS });
}

/** Packages of PyPI, installed once. Returns the environment for `python3` that finds them. */
export async function pythonPackages(
  name: string,
  packages: readonly string[],
): Promise<Readonly<Record<string, string | undefined>>> {
  const folder = await folderOf(name, async (draft) => {
    const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', draft];
    await run('python3', [...args, ...packages], { timeout: INSTALL_MAX_MS, maxBuffer: 16 * 1024 * 1024 });
  });
  return { ...process.env, PYTHONPATH: folder };
}
