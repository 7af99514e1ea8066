/** A local OpenTelemetry collector: receives OTLP over HTTP in JSON, and checks its form. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const attribute = z.strictObject({
  key: z.string().min(1),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^\d+$/) }),
  ]),
});

const span = z.strictObject({
  traceId: z.string().regex(/^[\da-f]{32}$/),
  spanId: z.string().regex(/^[\da-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[\da-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.literal(2),
  startTimeUnixNano: z.string().regex(/^\d{19}$/),
  endTimeUnixNano: z.string().regex(/^\d{19}$/),
  attributes: z.array(attribute),
  status: z.strictObject({ code: z.literal(2).optional() }),
});

/** `ExportTraceServiceRequest` of opentelemetry-proto, as far as isccd uses it. */
const exportRequest = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(span).min(1),
        }),
      ),
    }),
  ),
});

export interface ReceivedSpan extends z.infer<typeof span> {
  readonly service: string;
}

export interface Collector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly requests: { readonly path: string | undefined; readonly headers: IncomingHttpHeaders }[];
  /** Status of the next responses. */
  status: number;
}

/** Listens until the test ends. */
export async function startCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    collector.requests.push({ path: request.url, headers: request.headers });
    response.statusCode = collector.status;
    if (collector.status === 200) {
      for (const { resource, scopeSpans } of exportRequest.parse(JSON.parse(Buffer.concat(chunks).toString()))
        .resourceSpans) {
        const service = textOf(resource.attributes, 'service.name');
        for (const { spans } of scopeSpans)
          collector.spans.push(...spans.map((one) => ({ ...one, service })));
      }
    }
    response.end('{}');
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    requests: [],
    status: 200,
  };
  return collector;
}

export function textOf(attributes: readonly z.infer<typeof attribute>[], key: string): string {
  const value = attributes.find((one) => one.key === key)?.value ?? { stringValue: '' };
  return 'stringValue' in value ? value.stringValue : value.intValue;
}
