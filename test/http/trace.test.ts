/** Traces: which one a request is part of stands in its log lines. */
import { expect, it } from 'vitest';
import { overEachTransport } from './support/servers.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const HEADER = `00-${TRACE}-b7ad6b7169203331-01`;

overEachTransport('traceparent', (context) => {
  /** The lines of the request that is made with these header lines. */
  const linesOf = async (path: string, headers: readonly string[]) => {
    const client = await context.connect();
    client.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`);
    const id = (await client.answer())?.headers['x-request-id'];
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

  it('is made anew where it is missing or not valid', async () => {
    const made = [
      await traceOf(),
      await traceOf(),
      await traceOf(`traceparent: ${HEADER}-more`),
      await traceOf(`traceparent: ${HEADER}`, `traceparent: ${HEADER}`),
    ];
    for (const id of made) expect(id).toMatch(/^[\da-f]{32}$/);
    expect(new Set([...made, TRACE]).size).toBe(5);
  });

  it('stands beside an unexpected error', async () => {
    const lines = await linesOf('/broken', [`traceparent: ${HEADER}`]);
    expect(lines.map(({ msg }) => msg)).toEqual(['unexpected error', 'request']);
    expect(lines.map(({ traceId }) => traceId)).toEqual([TRACE, TRACE]);
  });
});
