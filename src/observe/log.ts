/** The process's logger: JSON lines, or coloured text on a terminal. */
import { type Logger, pino } from 'pino';
import { LineBuffer } from './line-buffer.js';
import { LogSink } from './log-sink.js';
import { workerNumber } from './worker.js';

export type { Logger } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Creates a logger that writes to stderr, because commands print their results to stdout. */
export function createLogger(level: LogLevel): Logger {
  const worker = workerNumber();
  const base = { level, base: worker === undefined ? null : { worker }, timestamp: isoTime };
  if (process.stderr.isTTY) {
    return pino({
      ...base,
      transport: {
        target: 'pino-pretty',
        options: { destination: 2, colorize: true, ignore: 'pid,hostname' },
      },
    });
  }
  stderrLines ??= openStderr();
  return pino(base, stderrLines);
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
 * Returns a function that writes info lines of one fixed shape. It bypasses pino's general serialiser, which is
 * slower than the requests that are logged. `undefined` if the level is off.
 */
export function infoLines(log: Logger, message: string): ((fields: string) => void) | undefined {
  if (!log.isLevelEnabled('info')) return undefined;
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym];
  const worker = workerNumber();
  const start = worker === undefined ? '' : `,"worker":${worker}`;
  const end = `,"msg":${JSON.stringify(message)}}\n`;
  return (fields) => stream?.write(`{"level":30${isoTime()}${start},${fields}${end}`);
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
