/** The process's logger: JSON lines, or text on a terminal. */
import { type Logger, type LoggerOptions, pino } from 'pino';
import { hasColours } from '../config/terminal.js';
import { LineBuffer } from './line-buffer.js';
import { LogSink } from './log-sink.js';
import { errorOnOneLine, terminalLines } from './terminal-lines.js';
import { workerNumber } from './worker.js';

export type { Logger } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Creates a logger that writes to stderr, because commands print their results to stdout. */
export function createLogger(level: LogLevel): Logger {
  const worker = workerNumber();
  const base = { level, base: worker === undefined ? null : { worker }, timestamp: isoTime };
  if (logsToTerminal()) return terminalLogger(base);
  stderrLines ??= openStderr();
  return pino(base, stderrLines);
}

/** Text, one line each. The stack of an error is left out, except at the levels for debugging. */
function terminalLogger(base: LoggerOptions): Logger {
  const isDebugging = base.level === 'debug' || base.level === 'trace';
  const serializers = isDebugging ? {} : { err: errorOnOneLine };
  // Written before the call returns, so that lines keep their order among what commands print.
  const write = (line: string) => stderrSink.flushSync(line);
  return pino({ ...base, serializers }, terminalLines({ hasColours: hasColours(process.stderr), write }));
}

/** Whether people read the log on a terminal, where a command also prints what it does. */
export function logsToTerminal(): boolean {
  return process.stderr.isTTY === true;
}

/** Log lines lost since the start of the process because stderr could not be written. */
export function logLinesLost(): number {
  return stderrSink.linesLost;
}

/** One per process, like stderr itself, so that lines of several loggers keep their order. */
let stderrLines: LineBuffer | undefined;
const stderrSink = new LogSink(2);

function openStderr(): LineBuffer {
  const lines = new LineBuffer(stderrSink);
  process.on('exit', () => lines.flushSync());
  return lines;
}

/**
 * Returns a function that writes lines of one fixed shape. It bypasses pino's general serialiser, which is slower than the
 * requests that are logged. `undefined` if the level is off.
 */
export function fixedLines(
  log: Logger,
  level: 'info' | 'debug',
  message: string,
): ((fields: string) => void) | undefined {
  if (!log.isLevelEnabled(level)) return undefined;
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym];
  const number = pino.levels.values[level];
  const worker = workerNumber();
  const start = worker === undefined ? '' : `,"worker":${worker}`;
  const end = `,"msg":${JSON.stringify(message)}}\n`;
  return (fields) => stream?.write(`{"level":${number}${isoTime()}${start},${fields}${end}`);
}

let lastMs = 0;
let lastText = '';

/** The time in pino's format. Cached per millisecond, because formatting is a fifth of the cost of a line. */
function isoTime(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastText = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastText;
}
