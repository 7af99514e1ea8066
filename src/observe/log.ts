/** Log lines: JSON for machines, pretty on a terminal. */
import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Makes the process's logger. Lines go to stderr, so that commands keep stdout for their results. */
export function createLogger(level: LogLevel): Logger {
  const base = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (process.stderr.isTTY) {
    return pino({
      ...base,
      transport: {
        target: 'pino-pretty',
        options: { destination: 2, colorize: true, ignore: 'pid,hostname' },
      },
    });
  }
  return pino(base, pino.destination({ dest: 2, sync: false }));
}
