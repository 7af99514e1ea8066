/** Distributed traces: the `traceparent` header of W3C Trace Context. */
import { randomFillSync } from 'node:crypto';

export interface Trace {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** Whether the caller that started the trace records it. */
  readonly isSampled: boolean;
  /** Span of the caller; missing in a trace that starts here. */
  readonly parentId?: string;
  /** Span of this process, if spans are exported: the parent of outgoing requests. */
  readonly spanId?: string;
}

export const TRACEPARENT = 'traceparent';

/** Version, trace id, parent id, flags; versions after 00 may add fields after another dash. */
const FORM = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/s;
const SAMPLED = 0x01;

/**
 * Parses a header as defined in https://www.w3.org/TR/trace-context/, section 3.2. Anything else is `undefined`,
 * including several headers joined by commas.
 */
export function parseTraceparent(header: string): Trace | undefined {
  const [, version, traceId, parentId = '', flags = '', more] = FORM.exec(header) ?? [];
  if (traceId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, parentId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

/** The caller's trace, or a new one if the header is missing or invalid. */
export function traceOf(header: string | undefined): Trace {
  return (header === undefined ? undefined : parseTraceparent(header)) ?? newTrace();
}

/** A trace that is not sampled; its id connects log lines. */
export function newTrace(): Trace {
  return { traceId: randomHex(32), isSampled: false };
}

/** The header for an outgoing request of a trace. Unless the trace has a span here, each call makes a new id. */
export function traceparent({ traceId, isSampled, spanId = newSpanId() }: Trace): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

export function newSpanId(): string {
  return randomHex(16);
}

const POOL_BYTES = 4096;
let pool = '';
let used = 0;

/** Hex digits that are not all zero. Pooled, because one system call per id costs more than a log line. */
function randomHex(digits: number): string {
  if (used + digits > pool.length) {
    pool = randomFillSync(Buffer.allocUnsafe(POOL_BYTES)).toString('hex');
    used = 0;
  }
  used += digits;
  const id = pool.slice(used - digits, used);
  return /^0+$/.test(id) ? randomHex(digits) : id;
}
