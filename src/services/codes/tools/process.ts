/**
 * Runs an external program on an untrusted file under limits for time, memory and bytes written.
 *
 * The program stays in the process group of its caller (a worker process), so that killing the worker's group also
 * kills the program. It has no children, so one signal is enough here.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { FileError, type FileErrorCode } from './file-error.js';
import { startHosted } from './host.js';
import type { End, RunningTool, ToolOptions } from './tool.js';

/** Receives the next piece of standard output. The program waits until the promise resolves. */
export type Sink = (chunk: Buffer) => void | Promise<void>;

/** The program is not installed. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing';
  readonly executable: string;

  constructor(executable: string) {
    super(`${executable} is not installed`);
    this.executable = executable;
  }
}

/** The program failed or exceeded its limits. */
export class ToolFailed extends FileError {
  override readonly name = 'ToolFailed';

  constructor(message: string, code: FileErrorCode = 'FILE_DAMAGED') {
    super(code, message);
  }
}

/** What the end of a program by a signal means. Limits are signals as well. */
const SIGNAL_CODES: Readonly<Record<string, FileErrorCode>> = {
  SIGXCPU: 'FILE_TOO_SLOW',
  SIGXFSZ: 'FILE_TOO_LARGE',
};

function codeOf(status: End['status']): FileErrorCode {
  if (typeof status !== 'string') return 'FILE_DAMAGED';
  return SIGNAL_CODES[status] ?? 'FILE_CRASHES_DECODER';
}

const STDERR_MAX_BYTES = 4096;
const NOT_EXECUTABLE_STATUS = 126;
const NOT_FOUND_STATUS = 127;

/**
 * Limits are set by a shell, so that they apply from the program's first instruction and after the end of this process.
 * If the system rejects a limit, a lower one is already set. The environment may contain secrets, so the program gets
 * an empty one.
 */
const LIMITED = `ulimit -v "$1"; ulimit -t "$2"; ulimit -f "$3"; shift 3
exec env -i PATH="$PATH" LC_ALL=C.UTF-8 "$@"`;
const FILE_BLOCK_BYTES = 512;

/**
 * Resolves when the program has ended with status 0 and `sink` has received all output.
 *
 * @returns the end of the program's messages
 */
export async function runTool(
  executable: string,
  args: readonly string[],
  sink: Sink,
  options: ToolOptions,
): Promise<string> {
  const { limits, signal } = options;
  signal?.throwIfAborted();
  const { hostedArgs = args, staysLoaded = false } = options;
  const hosted = staysLoaded ? await startHosted(executable, hostedArgs, options) : undefined;
  const child = hosted ?? start(executable, args, options);
  const stderrTail = tailOf(child.stderr, options.onPair);
  let stopped: { readonly reason: unknown } | undefined;
  const stop = (reason: unknown) => {
    stopped ??= { reason };
    child.kill();
    // A wrapper script may leave a child that keeps the pipes open.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = setTimeout(
    () => stop(new ToolFailed(`${executable} took too long`, 'FILE_TOO_SLOW')),
    limits.durationMaxMs,
  );
  const abort = () => stop(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  // It may have been aborted while the program started.
  if (signal?.aborted) abort();
  try {
    for await (const chunk of child.stdout) await sink(chunk as Buffer);
  } catch (error) {
    stop(error);
  }
  const end = await child.ended;
  clearTimeout(timer);
  signal?.removeEventListener('abort', abort);
  if (stopped) throw stopped.reason;
  if (end.missing) throw new ToolMissing(executable);
  if (end.status !== 0) {
    throw new ToolFailed(`${executable} ended with ${end.status}: ${stderrTail()}`, codeOf(end.status));
  }
  return stderrTail();
}

/** A sink that collects up to `bytesMax` bytes. */
export function collector(bytesMax: number): { readonly sink: Sink; bytes(): Buffer } {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    sink(chunk) {
      size += chunk.length;
      if (size > bytesMax)
        throw new ToolFailed(`the program wrote more than ${bytesMax} bytes`, 'FILE_TOO_LARGE');
      chunks.push(chunk);
    },
    bytes: () => Buffer.concat(chunks),
  };
}

function start(executable: string, args: readonly string[], options: ToolOptions): RunningTool {
  const child = spawned(executable, args, options);
  // Without a process there are no pipes.
  const { stdout, stderr } = child;
  const pipes = { stdout: stdout ?? Readable.from([]), stderr: stderr ?? Readable.from([]) };
  return { ...pipes, ended: endOf(child), kill: () => child.kill('SIGKILL') };
}

function spawned(executable: string, args: readonly string[], { limits, cwd }: ToolOptions): ChildProcess {
  const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true, ...(cwd && { cwd }) };
  if (process.platform === 'win32') return spawn(executable, args, options);
  const numbers = [
    limits.memoryMaxBytes / 1024,
    // One thread: CPU time can't exceed the time limit.
    limits.durationMaxMs / 1000 + 1,
    limits.fileMaxBytes / FILE_BLOCK_BYTES,
  ].map((number) => String(Math.ceil(number)));
  return spawn('/bin/sh', ['-c', LIMITED, 'sh', ...numbers, executable, ...args], options);
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

/** Drains standard error, so that the program does not block, and keeps the end of its messages. */
function tailOf(stderr: Readable, onPair: ToolOptions['onPair']): () => string {
  let tail = '';
  let unfinished = '';
  const keep = (text: string) => {
    tail = (tail + text).slice(-STDERR_MAX_BYTES);
  };
  stderr.setEncoding('utf8').on('data', (text: string) => {
    if (onPair === undefined) return keep(text);
    const lines = (unfinished + text).split('\n');
    unfinished = (lines.pop() ?? '').slice(-STDERR_MAX_BYTES);
    for (const line of lines) {
      const [, key, value] = PAIR.exec(line) ?? [];
      if (key === undefined || value === undefined) keep(`${line}\n`);
      else onPair(key, value);
    }
  });
  return () => (tail + unfinished).trim();
}

const PAIR = /^(\w+)=\s*(\S*)\s*$/;
