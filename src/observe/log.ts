/** Log lines: JSON for machines, pretty on a terminal. */
import { type Logger, pino } from 'pino';
import { LineBuffer } from './line-buffer.js';

export type { Logger } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Makes the process's logger. Lines go to stderr, so that commands keep stdout for their results. */
export function createLogger(level: LogLevel): Logger {
  const base = { level, base: null, timestamp: isoTime };
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

/** One for the process, as stderr is: lines of several loggers keep their order. */
let stderrLines: LineBuffer | undefined;

function openStderr(): LineBuffer {
  const lines = new LineBuffer(pino.destination({ dest: 2, sync: false }));
  process.on('exit', () => lines.flushSync());
  return lines;
}

/**
 * Writes lines of one fixed shape at level info, past pino's general serialiser, which is slower than the requests
 * such lines are about. Gives `undefined` where the level is off.
 */
export function infoLines(log: Logger, message: string): ((fields: string) => void) | undefined {
  if (!log.isLevelEnabled('info')) return undefined;
  const stream = (log as unknown as Record<symbol, { write(line: string): void }>)[pino.symbols.streamSym];
  const end = `,"msg":${JSON.stringify(message)}}\n`;
  return (fields) => stream?.write(`{"level":30${isoTime()},${fields}${end}`);
}

let lastMs = 0;
let lastText = '';

/** The time as pino puts it into a line. Written once per millisecond: it is a fifth of the cost of a line. */
function isoTime(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastText = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastText;
}
