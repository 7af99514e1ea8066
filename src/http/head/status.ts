/** Names of status codes. */
import { STATUS_CODES } from 'node:http';

const lines = new Map(Object.entries(STATUS_CODES).map(([code, name]) => [Number(code), `${code} ${name}`]));

/** Code and name as in the status line, e.g. `404 Not Found`. */
export function statusLine(status: number): string {
  return lines.get(status) ?? `${status} Unknown`;
}

/** The standard name of a status. */
export function statusName(status: number): string {
  return STATUS_CODES[status] ?? 'Unknown';
}
