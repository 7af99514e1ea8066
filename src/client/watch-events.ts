/** The events of a watch: parses server-sent events, and continues after a lost connection. */
import { createParser } from 'eventsource-parser';
import { ConnectionFailed, InvalidResponse, Unavailable } from './errors.js';
import type { Download } from './http.js';
import type { WatchEvent } from './search-api.js';

const EVENTS = 'text/event-stream';
/** Between the end of a stream and the next request. */
const PAUSE_MS = 1000;

/** The service has no longer kept the event that was given as the last one: events may be missing. */
export interface WatchGap {
  readonly type: 'gap';
}

/**
 * Yields the events of streams that `open` starts, without an end: until the caller leaves the loop or aborts `signal`.
 *
 * @param open starts a stream after the event with this id; absent: with all events that are kept
 * @param after id of the last known event
 * @throws {ServiceError} as `open`, for example if the watch does not exist any more
 * @throws {ConnectionFailed} if the first stream does not start; later ones are tried again
 * @throws {InvalidResponse} if an event is not JSON
 */
export async function* watchEvents(
  open: (after: string | undefined) => Promise<Download>,
  after: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent | WatchGap> {
  let last = after;
  for (let isFirst = true; signal?.aborted !== true; isFirst = false) {
    const download = await opened(open, last, isFirst, signal);
    if (download === undefined) continue;
    try {
      for await (const event of eventsOf(download)) {
        if (event.type !== 'gap') last = event.id;
        yield event;
      }
    } catch (error) {
      if (error instanceof InvalidResponse) throw error;
      // The connection is lost. The next request says whether for good.
    }
    await pause(signal);
  }
}

async function opened(
  open: (after: string | undefined) => Promise<Download>,
  after: string | undefined,
  isFirst: boolean,
  signal: AbortSignal | undefined,
): Promise<Download | undefined> {
  try {
    return await open(after);
  } catch (error) {
    if (signal?.aborted) return undefined;
    if (isFirst || !(error instanceof ConnectionFailed || error instanceof Unavailable)) throw error;
    await pause(signal);
    return undefined;
  }
}

async function* eventsOf({ stream, contentType }: Download): AsyncGenerator<WatchEvent | WatchGap> {
  if (contentType?.startsWith(EVENTS) !== true) throw unexpected('', contentType);
  const decoder = new TextDecoder();
  let waiting: (WatchEvent | WatchGap)[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => waiting.push(event === 'gap' ? { type: 'gap' } : parsed(data)),
  });
  for await (const piece of stream as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(piece, { stream: true }));
    const events = waiting;
    waiting = [];
    yield* events;
  }
}

function parsed(data: string): WatchEvent {
  try {
    return JSON.parse(data) as WatchEvent;
  } catch {
    throw unexpected(data, EVENTS);
  }
}

function unexpected(body: string, contentType: string | undefined): InvalidResponse {
  const response = { status: 200, body, contentType, requestId: undefined };
  return new InvalidResponse('events of a watch', `${EVENTS} with JSON`, response);
}

function pause(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, PAUSE_MS);
    signal?.addEventListener('abort', end);
  });
}
