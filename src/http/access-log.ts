/** One log line per request. */
import type { Logger } from '../observe/log.js';
import type { Outcome } from './dispatcher.js';

/** Writes id, method, path, status, bytes of the answer's body and milliseconds. */
export function accessLog(log: Logger): (outcome: Outcome) => void {
  return ({ request, status, bodyBytes }) => {
    if (!log.isLevelEnabled('info')) return;
    const ms = Math.round((performance.now() - request.startedMs) * 1000) / 1000;
    const { id: requestId, method, path } = request;
    log.info({ requestId, method, path, status, bytes: bodyBytes, ms }, 'request');
  };
}
