/** Adds NDJSON while it arrives, and reports on each group of lines once it is durable. */
import { setTimeout as pause } from 'node:timers/promises';
import { isNativeError } from '../../../native.js';
import type { Engine } from '../engine/port.js';
import { engineFailure } from '../errors.js';
import { NotDecodable } from './decode.js';
import { LineTooLong, lineGroups } from './line-groups.js';

/** Pause before a group is tried again while too many requests are waiting. */
const BUSY_PAUSE_MS = 50;

export interface LinesOptions {
  /** Lines at the start to leave out: those confirmed before. */
  readonly skip: number;
  readonly lineBytesMax: number;
}

/**
 * One JSON line per group: `{"lines", "created", "updated", "refused"}`. A failure ends the report with
 * `{"line", "status", "detail"}`: groups reported before it stay in the index.
 */
export async function* addLines(
  engine: Engine,
  index: string,
  bytes: AsyncIterable<Uint8Array>,
  options: LinesOptions,
): AsyncGenerator<Buffer | string> {
  let line = options.skip + 1;
  try {
    for await (const group of lineGroups(bytes, options)) {
      line = group.firstLine;
      const result = await whenNotBusy(() => engine.addLines(index, group.bytes, group.firstLine));
      yield Buffer.concat([result, Buffer.from('\n')]);
      line += group.lines;
    }
  } catch (error) {
    const failure = failureOf(error, line);
    if (failure === undefined) throw error;
    yield failure;
  }
}

/** Tries again while too many calls are waiting, unless the signal aborts. The client waits meanwhile. */
export async function whenNotBusy<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isNativeError(error, 'BUSY') || signal?.aborted) throw error;
      await pause(BUSY_PAUSE_MS);
    }
  }
}

/** The last line of the report. `undefined` for errors that are no failure of the request. */
function failureOf(error: unknown, line: number): string | undefined {
  if (error instanceof LineTooLong) return report(error.line, 413, JSON.stringify(error.message));
  if (error instanceof NotDecodable) return report(line, 400, JSON.stringify(error.message));
  const failure = engineFailure(error);
  return failure && report(line, failure.status, failure.detail);
}

function report(line: number, status: number, detail: string): string {
  return `{"line":${line},"status":${status},"detail":${detail}}\n`;
}
