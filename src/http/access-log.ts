/** The access log: one line per request. */
import { fixedLines, type Logger } from '../platform/observe/log.js';
import type { Outcome } from './dispatcher.js';

/** Logs id, trace, method, path, status, response body bytes and duration in ms; of assets of pages at the level `debug`. */
export function accessLog(log: Logger): (outcome: Outcome) => void {
  const forRequests = fixedLines(log, 'info', 'request');
  const forAssets = fixedLines(log, 'debug', 'request');
  return ({ request, status, bodyBytes }) => {
    const write = request.compiled?.route.isAsset ? forAssets : forRequests;
    if (write === undefined) return;
    const ms = Math.round((performance.now() - request.startedMs) * 1000) / 1000;
    write(
      `"requestId":"${request.id}","traceId":"${request.trace.traceId}","method":${quoted(request.method)},` +
        `"path":${quoted(request.path)},"status":${status},"bytes":${bodyBytes},"ms":${ms}`,
    );
  };
}

/** A JSON string. Most paths need no escaping, so test for that first. */
function quoted(text: string): string {
  return /^[\w/.:~%-]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}
