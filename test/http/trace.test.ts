/** A request's trace id appears in its log lines. */
import { expect, it } from 'vitest';
import { overEachTransport } from './support/servers.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const HEADER = `00-${TRACE}-b7ad6b7169203331-01`;

overEachTransport('traceparent', (context) => {
  /** Log lines of a request with these header lines. */
  const linesOf = async (path: string, headers: readonly string[]) => {
    const client = await context.connect();
    client.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`);
    const id = (await client.response())?.headers['x-request-id'];
    expect(id).toBeDefined();
    const lines = () => context.logLines.filter(({ requestId }) => requestId === id);
    await expect.poll(() => lines().some(({ msg }) => msg === 'request')).toBe(true);
    return lines();
  };
  const traceOf = async (...headers: readonly string[]) => (await linesOf('/about', headers))[0]?.traceId;

  it('is logged', async () => {
    expect(await traceOf(`traceparent: ${HEADER}`)).toBe(TRACE);
    expect(await traceOf(`TraceParent:  ${HEADER} `)).toBe(TRACE);
  });

  it('is replaced if it is missing or invalid', async () => {
    const made = [
      await traceOf(),
      await traceOf(),
      await traceOf(`traceparent: ${HEADER}-more`),
      await traceOf(`traceparent: ${HEADER}`, `traceparent: ${HEADER}`),
    ];
    for (const id of made) expect(id).toMatch(/^[\da-f]{32}$/);
    expect(new Set([...made, TRACE]).size).toBe(5);
  });

  it('is logged with an unexpected error', async () => {
    const lines = await linesOf('/broken', [`traceparent: ${HEADER}`]);
    expect(lines.map(({ msg }) => msg)).toEqual(['unexpected error', 'request']);
    expect(lines.map(({ traceId }) => traceId)).toEqual([TRACE, TRACE]);
  });
});
