/** The reference library in a separate process, with installed programs in place of those it would download. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';

const REQUIREMENTS = ['iscc-sdk==0.9.7', 'iscc-lib==0.7.0', 'pillow==12.3.0'];
const folder = path.resolve(import.meta.dirname, '../.peers/iscc-sdk-0.9.7');
const python = path.join(folder, 'bin', 'python');

export interface Round {
  readonly seconds: number;
  readonly codes: readonly string[];
  /** Peak memory of the process and of its largest child. */
  readonly peak_kib: readonly [number, number];
}

export class IsccSdk {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stdout === null) throw new Error('the standard output of the reference is not piped');
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  static async start(): Promise<IsccSdk> {
    await install();
    const script = path.join(import.meta.dirname, 'iscc_sdk_peer.py');
    const env = { ...process.env, XDG_DATA_HOME: folder };
    return new IsccSdk(spawn(python, [script], { env, stdio: ['pipe', 'pipe', 'inherit'] }));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async run(files: readonly string[]): Promise<Round> {
    this.#child.stdin?.write(`${JSON.stringify(files)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the reference has exited');
    return JSON.parse(value) as Round;
  }

  stop(): void {
    this.#child.kill();
  }
}

async function install(): Promise<void> {
  const tools = path.join(folder, 'iscc-sdk');
  if (existsSync(path.join(tools, 'complete'))) return;
  execFileSync('python3', ['-m', 'venv', folder]);
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...REQUIREMENTS], { stdio: 'inherit' });
  await mkdir(tools, { recursive: true });
  await symlink(program('ffmpeg', 'ffmpeg'), path.join(tools, 'ffmpeg-8.1'));
  await symlink(program('ffprobe', 'ffmpeg'), path.join(tools, 'ffprobe-8.1'));
  // Debian's fpcalc exits with 3 for some files, after printing the complete fingerprint.
  const fpcalc = path.join(tools, 'fpcalc-1.6.0');
  const real = program('fpcalc', 'libchromaprint-tools');
  await writeFile(fpcalc, `#!/bin/sh\n${real} "$@"; s=$?\n[ $s -eq 3 ] && exit 0\nexit $s\n`);
  await chmod(fpcalc, 0o755);
  await mkdir(path.join(tools, 'complete'));
}

/** Path of a program; installs the Debian package if the program is missing. */
function program(name: string, debianPackage: string): string {
  const find = () => execFileSync('sh', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim();
  const found = find();
  if (found !== '') return found;
  execFileSync('apt-get', ['install', '-y', '-qq', debianPackage], { stdio: 'ignore' });
  const installed = find();
  if (installed === '') throw new Error(`the reference needs ${name}: apt-get install ${debianPackage}`);
  return installed;
}
