/** Checks the limit of open files before the modules of the services are loaded, which fails in odd ways without it. */
import { readFileSync } from 'node:fs';
import { CommandFailed, EXIT_CONFIGURATION } from './terminal/failure.js';

/** All services open about 300 files while their modules load; the rest is for connections and uploads. */
const OPEN_FILES_MIN = 512;

/** @throws {CommandFailed} if this process may open fewer files than the services need */
export function checkOpenFiles(): void {
  const limit = openFilesMax();
  if (limit === undefined || limit >= OPEN_FILES_MIN) return;
  throw new CommandFailed(
    `this process may open ${limit} files, but services need at least ${OPEN_FILES_MIN}: ` +
      'raise the limit with ulimit -n, or LimitNOFILE of systemd',
    EXIT_CONFIGURATION,
  );
}

/** On Linux. Node.js has raised the soft limit to the hard one. */
function openFilesMax(): number | undefined {
  try {
    const found = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return found === null ? undefined : Number(found[1]);
  } catch {
    return undefined;
  }
}
