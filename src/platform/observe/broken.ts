/** The end of a process whose storage is unusable until it is opened again. */
import type { Logger } from './log.js';

/** Exit status, so that a supervisor restarts the process (EX_SOFTWARE of sysexits.h). */
export const EXIT_BROKEN = 70;

/** @param what is unusable, for the log */
export function exitToRestart(log: Logger | undefined, error: unknown, what: string): never {
  log?.fatal({ err: error }, `${what} can not be written; exiting to be restarted`);
  process.exit(EXIT_BROKEN);
}
