/** Reads the events of a watch. */
export interface WatchEvent {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly index: string;
    readonly watch: string;
    readonly iscc_id: string;
    readonly matches: boolean;
    readonly global_match: { readonly score: number; readonly types: Record<string, number> } | null;
    readonly chunk_match: { readonly score: number } | null;
    readonly value?: unknown;
  };
}

/** Type and asset of an event, for comparison. */
export function shortOf({ type, data }: WatchEvent): string {
  return `${type} ${data.iscc_id} ${data.matches}`;
}

/**
 * The next `count` events of a watch.
 *
 * @param after id of the last known event
 * @param quietMs then waits for further events for this time, so that a test can show their absence
 */
export async function nextEvents(
  url: string,
  count: number,
  { after, quietMs = 0 }: { after?: string; quietMs?: number } = {},
): Promise<WatchEvent[]> {
  const stop = new AbortController();
  const headers = after === undefined ? {} : { 'Last-Event-ID': after };
  const response = await fetch(`${url}/events`, { headers, signal: stop.signal });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const events: WatchEvent[] = [];
  let text = '';
  const end = () => stop.abort();
  if (count === 0) setTimeout(end, quietMs);
  try {
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(piece).toString();
      for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, at))?.[1];
        const id = /^id: (.*)$/m.exec(text.slice(0, at))?.[1];
        text = text.slice(at + 2);
        if (data !== undefined && id !== undefined) events.push(JSON.parse(data) as WatchEvent);
      }
      if (events.length >= count && quietMs === 0) break;
      if (events.length === count && count > 0) setTimeout(end, quietMs);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
  stop.abort();
  return events;
}
