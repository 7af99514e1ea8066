/** Who runs this command, for the audit log. */
import os from 'node:os';
import type { Actor } from '../../storage/database/audit.js';

export function commandActor(): Actor {
  return { kind: 'command', name: userName(), origin: os.hostname() };
}

/** A container may run under a user id without a name. */
function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? '?'}`;
  }
}
