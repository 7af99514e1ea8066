/**
 * The sandbox of worker processes on Linux: which files they open, and how they are started in it. They can't open
 * connections. Design: docs/design/worker-pool.md.
 */
import { existsSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commonVariables } from '../config/common.js';
import { environment } from '../config/env.js';
import { readVariables } from '../config/variable.js';
import type { Logger } from '../observe/log.js';

/** Files and folders, with all that is below them. */
export interface FileRules {
  /** To read and list. */
  readonly read: readonly string[];
  /** To read files whose names are known. */
  readonly open: readonly string[];
  /** To read, list and write. The first one is the folder for temporary files. */
  readonly write: readonly string[];
}

/** How a worker is started in the sandbox: options of `fork`. */
export interface SandboxedStart {
  readonly env: NodeJS.ProcessEnv;
  readonly execArgv: string[];
}

/** What a worker reports of itself: why a part of the sandbox is missing, `null` if it is not. Absent outside a sandbox. */
export interface SandboxState {
  readonly files?: string | null | undefined;
  readonly calls?: string | null | undefined;
}

/** Before the first worker is ready. */
export const NOT_STARTED = 'not started';

const NOT_PRELOADED =
  'the dynamic linker does not load the addon first (its path must have no space and no colon, and Node.js must be linked ' +
  'dynamically)';

const OFF = `${commonVariables.sandbox.name}=off`;

/** `on`, or which parts are missing and why. */
export function describedSandbox(state: SandboxState | null): string {
  if (!isSandboxOn()) return `off: ${OFF}`;
  if (process.platform !== 'linux') return 'off: needs Linux';
  if (state === null) return `off: ${NOT_PRELOADED}`;
  const { files, calls } = state;
  if (!files && !calls) return 'on';
  if (files && calls) return `off: ${[...new Set([files, calls])].join('; ')}`;
  return files ? `connections only: ${files}` : `files only: ${calls}`;
}

/** Says in the log of a service that starts that its workers are not, or not wholly, in the sandbox. */
export function warnWithoutSandbox(log: Logger, sandbox: string): void {
  if (sandbox !== 'on' && sandbox !== NOT_STARTED)
    log.warn({ sandbox }, 'processes that read files or manifests of strangers have no full sandbox');
}

function isSandboxOn(): boolean {
  const { sandbox } = commonVariables;
  return readVariables({ sandbox }, environment()).sandbox === 'auto';
}

/**
 * How to start a worker that reads these files, its own code and the programs of the system.
 *
 * @param addon path of the addon, which enters the sandbox when the dynamic linker loads it
 * @param entry script of the worker
 * @returns `undefined` if there is no sandbox, so that the worker starts like any child process
 */
export function sandboxedStart(
  addon: string,
  entry: string,
  makeRules: () => FileRules,
): SandboxedStart | undefined {
  // The linker splits its list at both.
  if (process.platform !== 'linux' || !isSandboxOn() || /[ :]/.test(addon)) return undefined;
  const { LD_PRELOAD: others } = environment();
  const rules = makeRules();
  const [temporary] = rules.write;
  const all: FileRules = {
    read: [
      ...SYSTEM,
      ...ownCode(entry),
      ...programFiles(process.execPath),
      ...libraryFolders(),
      ...ownFonts(),
      ...rules.read,
    ],
    open: rules.open,
    write: [...rules.write, '/dev/null'],
  };
  return {
    // Those of this process may need other files, such as `--env-file`.
    execArgv: [],
    env: {
      ...passedEnvironment(),
      ...(temporary !== undefined && { TMPDIR: temporary }),
      LD_PRELOAD: others ? `${addon}:${others}` : addon,
      ISCCD_SANDBOX_RULES: JSON.stringify(all),
    },
  };
}

/** Programs, libraries and fonts of the system, what their start reads, and facts about the machine. */
const SYSTEM = [
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec'].flatMap((name) => [
    `/${name}`,
    `/usr/${name}`,
    `/usr/local/${name}`,
  ]),
  ...['/usr/share', '/usr/local/share/fonts', '/nix/store', '/gnu/store'],
  ...['/etc/ld.so.cache', '/etc/ld.so.preload', '/etc/localtime', '/etc/fonts'],
  ...['/etc/ld-musl-x86_64.path', '/etc/ld-musl-aarch64.path'],
  // The configuration of OpenSSL, which Node.js reads at its start.
  ...['/etc/ssl/openssl.cnf', '/etc/pki/tls/openssl.cnf', '/etc/crypto-policies'],
  // Landlock hides the memory and the environment of other processes.
  ...['/proc', '/sys/devices/system', '/sys/fs/cgroup', '/sys/kernel/mm/transparent_hugepage'],
  ...['/dev/urandom', '/dev/random', '/dev/zero'],
];

/** This package and its dependencies. */
function ownCode(entry: string): readonly string[] {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const own = ['dist', 'native', 'package.json'].map((name) => path.join(root, name));
  return [...own, ...ancestors(root).map((folder) => path.join(folder, 'node_modules')), path.dirname(entry)];
}

function ancestors(folder: string): readonly string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** A program, and if it is in a folder `bin`, what is installed with it. */
export function programFiles(name: string): readonly string[] {
  const found = name.includes('/')
    ? [name]
    : (environment().PATH ?? '').split(':').map((folder) => path.join(folder, name));
  return found.filter(existsSync).flatMap((file) => [file, realpathSync(file)].flatMap(installedWith));
}

function installedWith(file: string): readonly string[] {
  const folder = path.dirname(path.resolve(file));
  if (path.basename(folder) !== 'bin') return [file];
  return [folder, ...['lib', 'lib64', 'libexec'].map((name) => path.join(folder, '..', name))];
}

function libraryFolders(): readonly string[] {
  const { LD_LIBRARY_PATH = '', LD_PRELOAD = '' } = environment();
  return `${LD_LIBRARY_PATH}:${LD_PRELOAD}`.split(/[ :]/).filter(path.isAbsolute);
}

/** Fonts of the user. */
function ownFonts(): readonly string[] {
  return [['.fonts'], ['.local', 'share', 'fonts']].map((names) => path.join(os.homedir(), ...names));
}

/** Others may be secrets of the service. */
const PASSED =
  /^(?:PATH|HOME|LANG|LANGUAGE|LC_\w+|TZ|LD_LIBRARY_PATH|RUST_BACKTRACE|ISCCD_SIMD|CODESDK_\w+)$/;

function passedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment()).filter(([name]) => PASSED.test(name)));
}
