/** Log lines: JSON for machines, pretty on a terminal. */
import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** A write per line would cost a busy server more than its requests do. At the end of the process pino writes the rest. */
const WRITE_BYTES_MIN = 64 * 1024;
const WRITE_BYTES_MAX = 128 * 1024;
const FLUSH_MS = 100;

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
  const lengths = { minLength: WRITE_BYTES_MIN, maxWrite: WRITE_BYTES_MAX };
  const destination = pino.destination({ dest: 2, sync: false, ...lengths });
  setInterval(() => destination.flush(), FLUSH_MS).unref();
  return pino(base, destination);
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
