/** The reference library in a process of its own, with the external programs that it would download. */
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
  /** Peak memory of the process, and of the largest of its children. */
  readonly peak_kib: readonly [number, number];
}

export class IsccSdk {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stdout === null) throw new Error('no answers');
    this.#answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  }

  static async start(): Promise<IsccSdk> {
    await install();
    const script = path.join(import.meta.dirname, 'iscc_sdk_peer.py');
    const env = { ...process.env, XDG_DATA_HOME: folder };
    return new IsccSdk(spawn(python, [script], { env, stdio: ['pipe', 'pipe', 'inherit'] }));
  }

  async run(files: readonly string[]): Promise<Round> {
    this.#child.stdin?.write(`${JSON.stringify(files)}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('the reference has ended');
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
  // Debian's ends with 3 at the end of some files although it has printed the whole fingerprint.
  const fpcalc = path.join(tools, 'fpcalc-1.6.0');
  const real = program('fpcalc', 'libchromaprint-tools');
  await writeFile(fpcalc, `#!/bin/sh\n${real} "$@"; s=$?\n[ $s -eq 3 ] && exit 0\nexit $s\n`);
  await chmod(fpcalc, 0o755);
  await mkdir(path.join(tools, 'complete'));
}

/** Path of an installed program; Debian's package is installed where that is allowed. */
function program(name: string, debianPackage: string): string {
  const find = () => execFileSync('sh', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim();
  const found = find();
  if (found !== '') return found;
  execFileSync('apt-get', ['install', '-y', '-qq', debianPackage], { stdio: 'ignore' });
  const installed = find();
  if (installed === '') throw new Error(`the reference needs ${name}: apt-get install ${debianPackage}`);
  return installed;
}
