/**
 * Runs an external program on a file that a stranger made, under limits: time, memory, bytes written.
 *
 * The program stays in the process group of its caller (a worker process), so that whoever ends the
 * worker by its group ends the program too; it has no children of its own, so one signal is enough here.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';

export interface ToolLimits {
  readonly durationMaxMs: number;
  /** Address space of the program, shared libraries included. */
  readonly memoryMaxBytes: number;
  /** Size of any file that the program writes. */
  readonly fileMaxBytes: number;
}

export interface ToolOptions {
  readonly limits: ToolLimits;
  readonly signal?: AbortSignal | undefined;
  readonly cwd?: string;
}

/** Takes the next piece of standard output; the program waits meanwhile. */
export type Sink = (chunk: Buffer) => void | Promise<void>;

/** There is no such program. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing';
  readonly executable: string;

  constructor(executable: string) {
    super(`there is no program ${executable}`);
    this.executable = executable;
  }
}

/** The program could not do its work, or not within its limits. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}

const STDERR_MAX_BYTES = 4096;
const NOT_EXECUTABLE_STATUS = 126;
const NOT_FOUND_STATUS = 127;

/**
 * The limits are set in a shell because they must hold from the program's first instruction on, and hold
 * on when this process is gone. A limit that the system refuses is already lower. The environment may hold
 * secrets: the program gets an empty one.
 */
const LIMITED = `ulimit -v "$1"; ulimit -t "$2"; ulimit -f "$3"; shift 3
exec env -i PATH="$PATH" LC_ALL=C.UTF-8 "$@"`;
const FILE_BLOCK_BYTES = 512;

/** Resolves when the program has ended well and all its output was taken. */
export async function runTool(
  executable: string,
  args: readonly string[],
  sink: Sink,
  options: ToolOptions,
): Promise<void> {
  const { limits, signal } = options;
  signal?.throwIfAborted();
  const child = start(executable, args, options);
  const ended = endOf(child);
  const complaints = tailOf(child);
  let stopped: { readonly reason: unknown } | undefined;
  const stop = (reason: unknown) => {
    stopped ??= { reason };
    child.kill('SIGKILL');
    // A wrapper script may leave a child behind that keeps the pipes open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const timer = setTimeout(() => stop(new ToolFailed(`${executable} took too long`)), limits.durationMaxMs);
  const abort = () => stop(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for await (const chunk of child.stdout ?? []) await sink(chunk as Buffer);
  } catch (error) {
    stop(error);
  }
  const end = await ended;
  clearTimeout(timer);
  signal?.removeEventListener('abort', abort);
  if (stopped) throw stopped.reason;
  if (end.missing) throw new ToolMissing(executable);
  if (end.status !== 0) throw new ToolFailed(`${executable} ended with ${end.status}: ${complaints()}`);
}

/** A sink that keeps everything, up to a limit. */
export function collector(bytesMax: number): { readonly sink: Sink; bytes(): Buffer } {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    sink(chunk) {
      size += chunk.length;
      if (size > bytesMax) throw new ToolFailed(`the program wrote more than ${bytesMax} bytes`);
      chunks.push(chunk);
    },
    bytes: () => Buffer.concat(chunks),
  };
}

function start(executable: string, args: readonly string[], { limits, cwd }: ToolOptions): ChildProcess {
  const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, ...(cwd && { cwd }) };
  if (process.platform === 'win32') return spawn(executable, args, options);
  const numbers = [
    limits.memoryMaxBytes / 1024,
    // One thread: it can't use more processor time than there was time.
    limits.durationMaxMs / 1000 + 1,
    limits.fileMaxBytes / FILE_BLOCK_BYTES,
  ].map((number) => String(Math.ceil(number)));
  return spawn('/bin/sh', ['-c', LIMITED, 'sh', ...numbers, executable, ...args], options);
}

interface End {
  /** Exit status, or the signal that ended the program. */
  readonly status: number | string | null;
  readonly missing: boolean;
}

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ status: null, missing: true }));
    child.once('close', (code, signal) => {
      const missing = code === NOT_FOUND_STATUS || code === NOT_EXECUTABLE_STATUS;
      resolve({ status: code ?? signal, missing });
    });
  });
}

/** Reads standard error to its end, or the program would block, and keeps the last of it. */
function tailOf(child: ChildProcess): () => string {
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-STDERR_MAX_BYTES);
  });
  return () => tail.trim();
}
