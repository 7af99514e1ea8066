/** Runs the built `isccd serve` in its own process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { ServiceName } from '../../src/compose/service-names.js';

export const MAIN = path.resolve(import.meta.dirname, '../../dist/cli/main.js');

const STOP_MS = 20_000;

export interface ServeOptions {
  readonly cwd?: string;
  /** More arguments. */
  readonly args?: readonly string[];
  /** Overrides the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** A program with its arguments that runs the command. It must make way for it, so that signals reach the command. */
  readonly under?: readonly string[];
  /** The Node.js that runs it. Default: that of this process. */
  readonly node?: string;
  /** File descriptor for stderr. Default: a pipe that becomes part of the output. */
  readonly stderr?: number;
}

export interface Process {
  readonly pid: number;
  /** Everything it has printed, including log lines. */
  output(): string;
  /** Kills it (SIGKILL). */
  kill(): Promise<void>;
  /** Stops it (SIGTERM) and waits for its exit. */
  stop(): Promise<void>;
  /** Exit status; `null` while it runs or after a signal. */
  exitCode(): number | null;
}

export interface ServedProcess extends Process {
  /** Closes the reading end of its stderr. */
  closeStderr(): void;
  /** URL of each service; `metrics` is present if configured. */
  readonly urls: Readonly<Record<ServiceName, string> & { metrics?: string }>;
}

/** Starts services in one process. Rejects with its output if it exits before all of them listen. */
export async function serve(
  services: readonly ServiceName[],
  { cwd, env, stderr, args = [], under = [], node = process.execPath }: ServeOptions = {},
): Promise<ServedProcess> {
  const [program = '', ...rest] = [...under, node, MAIN, 'serve', ...services, ...args];
  const child = spawn(program, rest, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', stderr ?? 'pipe'],
  });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
    child.kill(signal);
    await ended;
  };
  let output = '';
  const urls = await new Promise<ServedProcess['urls']>((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data.toString();
      const found = announced(output);
      if (services.every((service) => service in found)) resolve(found as ServedProcess['urls']);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    // By then all output has been read.
    child.once('close', (code, signal) =>
      reject(new Error(`isccd serve exited (${signal ?? code}): ${output}`)),
    );
  });
  return {
    urls,
    pid: child.pid ?? 0,
    output: () => output,
    closeStderr: () => child.stderr?.destroy(),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    exitCode: () => child.exitCode,
  };
}

/** URLs by service, from the complete lines that announce them. */
function announced(output: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...output.matchAll(/^(\w+) +(http:\/\/\S+) /gm)].map(([, name = '', url = '']) => [name, url]),
  );
}
