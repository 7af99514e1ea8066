/** Log lines for people: one line of text for each line of JSON. */
import { createRequire } from 'node:module';
import type { prettyFactory } from 'pino-pretty';
import { printable, printableColoured } from '../printable.js';

export interface TerminalLines {
  readonly hasColours: boolean;
  /** Where whole lines are written. */
  readonly write: (line: string) => void;
}

/**
 * A pino destination. It formats in this process: a worker of pino would be a file of its own, which bundling breaks, and its
 * lines would come later than what the process writes to the same terminal.
 */
export function terminalLines({ hasColours, write }: TerminalLines): { write(line: string): void } {
  const format = formatter({
    colorize: hasColours,
    singleLine: true,
    ignore: 'pid,hostname',
    errorLikeObjectKeys: [],
    messageFormat: (line, key) => printable(String(line[key] ?? '')),
  });
  return { write: (line) => write(`${printableColoured(format(line).trimEnd())}\n`) };
}

/** Loaded here, because most processes do not write to a terminal. */
function formatter(options: Parameters<typeof prettyFactory>[0]): ReturnType<typeof prettyFactory> {
  const pretty = createRequire(import.meta.url)('pino-pretty') as { prettyFactory: typeof prettyFactory };
  return pretty.prettyFactory(options);
}

/** An error on one line: its type, its message, and those of its causes. */
export function errorOnOneLine(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const cause = error.cause === undefined ? [] : [errorOnOneLine(error.cause)];
  return [`${error.name}: ${error.message}`, ...cause].join(': ');
}
