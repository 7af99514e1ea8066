/** Runs the built `isccd` command. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { MAIN } from './serve.js';

export interface CommandOptions {
  readonly cwd?: string;
  /** Overrides the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function isccd(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return run(process.execPath, [MAIN, ...args], options);
}

/** Runs any program; does not throw for a non-zero exit status. */
export async function run(
  program: string,
  args: readonly string[],
  { cwd, env, input = '' }: CommandOptions = {},
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
  // A program that does not read its input may exit before the input is written.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve(code));
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
