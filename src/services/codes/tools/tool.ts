/** What a tool is started with, and one that runs. */
import type { Readable } from 'node:stream';

/** A program that is running. */
export interface RunningTool {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program has ended and its output is read. */
  readonly ended: Promise<End>;
  kill(): void;
}

export interface ToolOptions {
  readonly limits: ToolLimits;
  readonly signal?: AbortSignal | undefined;
  readonly cwd?: string;
  /** Whether to keep the program loaded for later runs, where that is possible. */
  readonly staysLoaded?: boolean;
  /** Arguments of a run by a host, where they are different. */
  readonly hostedArgs?: readonly string[] | undefined;
  /** Threads that compute at the same time. Default: 1. */
  readonly threads?: number | undefined;
  /** Called with lines such as `key=value` on standard error. Other lines are the program's messages. */
  readonly onPair?: (key: string, value: string) => void;
}

export interface ToolLimits {
  readonly durationMaxMs: number;
  /** Address space of the program, shared libraries included. */
  readonly memoryMaxBytes: number;
  /** Size of any file that the program writes. */
  readonly fileMaxBytes: number;
}

export interface End {
  /** Exit status, or the terminating signal. */
  readonly status: number | string | null;
  readonly missing?: boolean;
}
