/** Traces over several services: the header `traceparent` of W3C Trace Context. */
import { randomFillSync } from 'node:crypto';

export interface Trace {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** Whether whoever began the trace records it. */
  readonly isSampled: boolean;
}

export const TRACEPARENT = 'traceparent';

/** Version, trace id, parent id, flags; versions after 00 may go on behind another dash. */
const FORM = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-([\da-f]{2})(-.*)?$/s;
const SAMPLED = 0x01;

/**
 * Reads a header as https://www.w3.org/TR/trace-context/ has it, section 3.2; `undefined` for anything else, several
 * headers joined by commas included.
 */
export function parseTraceparent(header: string): Trace | undefined {
  const [, version, traceId, flags = '', more] = FORM.exec(header) ?? [];
  if (traceId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** The trace of whoever asks, or a new one if there is none that is valid. */
export function traceOf(header: string | undefined): Trace {
  return (header === undefined ? undefined : parseTraceparent(header)) ?? newTrace();
}

/** Nobody records it: it ties log lines together. */
export function newTrace(): Trace {
  return { traceId: randomHex(32), isSampled: false };
}

/** The header of a request that is made within a trace: each call names a span of its own. */
export function traceparent({ traceId, isSampled }: Trace): string {
  return `00-${traceId}-${randomHex(16)}-${isSampled ? '01' : '00'}`;
}

const POOL_BYTES = 4096;
let pool = '';
let used = 0;

/** Hex digits that are not all zero. From a pool: asking the system for each id costs more than a log line. */
function randomHex(digits: number): string {
  if (used + digits > pool.length) {
    pool = randomFillSync(Buffer.allocUnsafe(POOL_BYTES)).toString('hex');
    used = 0;
  }
  used += digits;
  const id = pool.slice(used - digits, used);
  return /^0+$/.test(id) ? randomHex(digits) : id;
}
