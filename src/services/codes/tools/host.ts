/**
 * Runs of a program by a host process that keeps it loaded and forks it per run (`crates/tool-host`). Loading FFmpeg's 215
 * libraries takes longer than reading a short clip. Linux only, and only for programs that are linked dynamically.
 *
 * The host stays in the process group of its worker, like the program itself, and ends when the worker does.
 */
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { isNativeError, native, toolHostLibrary } from '../../../native.js';
import { givenEnvironment } from '../../../platform/config/env.js';
import type { RunningTool, ToolOptions } from './tool.js';

type Host = ReturnType<typeof native.ToolHost.start>;
type Files = ReturnType<Host['run']>;

/** By executable. `undefined` for programs that have no host. */
const hosts = new Map<string, Host | undefined>();

/** What fits into a message to the host (`MESSAGE_BYTES_MAX` of `crates/tool-host`), with the limits and the folder. */
const ARGUMENT_BYTES_MAX = 60 * 1024;

/** A program that does not start in this time is not one that a host can run. */
const START_MS_MAX = 10_000;

/** Starts a run; resolves to `undefined` if the program has to be started by itself. */
export async function startHosted(
  executable: string,
  args: readonly string[],
  options: ToolOptions,
): Promise<RunningTool | undefined> {
  if (toolHostLibrary === undefined || argumentBytes(args) > ARGUMENT_BYTES_MAX) return undefined;
  const known = hosts.get(executable);
  if (known === undefined && hosts.has(executable)) return undefined;
  const run = known && (await begin(known, args, options));
  if (run !== undefined) return run;
  // An idle host ends. Another run may have found out before.
  const current = hosts.get(executable);
  const host = current === known ? startHost(toolHostLibrary, executable) : current;
  hosts.set(executable, host);
  const begun = host && (await begin(host, args, options));
  if (begun === undefined) hosts.set(executable, undefined);
  return begun;
}

/** Each argument ends with a zero. */
function argumentBytes(args: readonly string[]): number {
  return args.reduce((sum, arg) => sum + Buffer.byteLength(arg) + 1, 0);
}

function startHost(library: string, executable: string): Host | undefined {
  try {
    return native.ToolHost.start(library, executable, givenEnvironment().PATH ?? '');
  } catch {
    // The program does not exist. Its own start finds out.
    return undefined;
  }
}

async function begin(
  host: Host,
  args: readonly string[],
  { limits, cwd, threads = 1 }: ToolOptions,
): Promise<RunningTool | undefined> {
  const runLimits = {
    memoryBytes: limits.memoryMaxBytes,
    cpuSeconds: threads * (limits.durationMaxMs / 1000 + 1),
    fileBytes: limits.fileMaxBytes,
  };
  try {
    return await started(host.run([...args], runLimits, cwd));
  } catch (error) {
    if (isNativeError(error, 'IO')) return undefined;
    throw error;
  }
}

/** Resolves when the program runs; to `undefined` if the host can't run it. */
function started({ stdout, stderr, life }: Files): Promise<RunningTool | undefined> {
  const output = new Socket({ fd: stdout, readable: true, writable: false });
  const messages = new Socket({ fd: stderr, readable: true, writable: false });
  const connection = new Socket({ fd: life, readable: true, writable: true, allowHalfOpen: true });
  let state = '';
  const ended = new Promise<{ status: number | string | null }>((resolve) => {
    connection.once('close', () => resolve({ status: statusOf(state) }));
  });
  connection.on('error', () => connection.destroy()).on('end', () => connection.destroy());
  return new Promise((resolve) => {
    const timer = setTimeout(() => connection.destroy(), START_MS_MAX);
    void ended.then(() => {
      clearTimeout(timer);
      if (state !== '') return;
      output.destroy();
      messages.destroy();
      resolve(undefined);
    });
    connection.setEncoding('latin1').on('data', (text: string) => {
      state += text;
      clearTimeout(timer);
      resolve({
        stdout: output,
        stderr: messages,
        ended: closed(output, messages, ended),
        // The host kills the program and then reports its end.
        kill: () => connection.end(),
      });
    });
  });
}

/** Like the event `close` of a child process: after the end of the program and of its output. */
async function closed<T>(output: Socket, messages: Socket, ended: Promise<T>): Promise<T> {
  const closes = [output, messages].map(
    (socket) =>
      new Promise((resolve) => (socket.destroyed ? resolve(undefined) : socket.once('close', resolve))),
  );
  const [end] = await Promise.all([ended, ...closes]);
  return end;
}

/** Exit status, or the name of the signal, of a state such as `s0` or `ssignal 9`. */
function statusOf(state: string): number | string | null {
  const [, code, signal] = /^s(?:(\d+)|signal (\d+))\n$/.exec(state) ?? [];
  if (code !== undefined) return Number(code);
  const names = Object.entries(constants.signals).find(([, number]) => number === Number(signal));
  return names?.[0] ?? null;
}
