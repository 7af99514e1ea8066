/** Requests as OpenTelemetry spans, received by a collector on this machine. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { native } from '../../src/native.js';
import { tracingConfig, tracingVariables } from '../../src/platform/config/tracing.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { createLogger } from '../../src/platform/observe/log.js';
import { SpanExporter } from '../../src/platform/observe/spans.js';
import { traceOf } from '../../src/platform/observe/trace.js';
import { isccd } from '../support/command.js';
import { serve } from '../support/serve.js';
import { startCollector, textOf } from './support/collector.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const header = (flags: string) => ({ traceparent: `00-${TRACE}-${PARENT}-${flags}` });
const config = (environment: Record<string, string>) =>
  tracingConfig(readVariables(tracingVariables, environment));

async function served(env: Record<string, string>) {
  const process = await serve(['search', 'resolver'], {
    env: {
      INDEXSVC_INDEX_URI: 'memory://',
      INDEXSVC_PORT: '0',
      RESOLVER_PORT: '0',
      ISCCD_METRICS_PORT: '0',
      ...env,
    },
  });
  onTestFinished(() => process.stop());
  return process;
}

describe('the export of spans', () => {
  it('sends one span per request, with parent, route and status, and none of the client', async () => {
    const collector = await startCollector();
    const process = await served({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20secret, x-tenant=t',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    });
    const { search, resolver, metrics } = process.urls;
    await fetch(`${search}/indexes/privatename?q=secret`, { headers: header('01') });
    await fetch(`${search}/made/up`, { headers: header('01') });
    await fetch(`${resolver}/v1/services/status`, { headers: header('01') });
    await fetch(`${search}/indexes`, { headers: header('00') });
    await vi.waitFor(() => expect(collector.spans).toHaveLength(3), 20_000);
    const exported = await vi.waitFor(async () => {
      const text = await (await fetch(`${metrics}/metrics`)).text();
      const [line] = /^isccd_trace_spans_total\{result="exported"\} [1-9]\d*$/m.exec(text) ?? [];
      expect(line).toBeDefined();
      return line;
    }, 20_000);
    expect(exported).toBe('isccd_trace_spans_total{result="exported"} 3');
    for (const span of collector.spans) expect(span).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
    const rows = collector.spans.map(({ service, name, attributes, status }) => [
      ...[service, name, textOf(attributes, 'http.response.status_code'), status.code],
    ]);
    expect(rows.sort()).toEqual([
      ['isccd-resolver', 'GET /v1/services/status', '200', undefined],
      ['isccd-search', 'GET /indexes/{name}', '422', undefined],
      ['isccd-search', 'GET', '404', undefined],
    ]);
    expect(JSON.stringify(collector.spans)).not.toMatch(/privatename|secret|made|127\.0\.0\.1/);
    for (const { startTimeUnixNano, endTimeUnixNano } of collector.spans) {
      const [start, end] = [BigInt(startTimeUnixNano), BigInt(endTimeUnixNano)];
      expect(start <= end && end - start < 60_000_000_000n).toBe(true);
    }
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'api-key': 'a secret', 'x-tenant': 't', 'content-type': 'application/json' },
    });
  });

  it('connects the spans of services, and sends what is queued at a stop', async () => {
    const collector = await startCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '600000' };
    const search = await serve(['search'], {
      env: { ...env, INDEXSVC_INDEX_URI: 'memory://', INDEXSVC_PORT: '0' },
    });
    onTestFinished(() => search.stop());
    const resolver = await serve(['resolver'], {
      env: { ...env, RESOLVER_PORT: '0', RESOLVER_SEARCH_URL: search.urls.search },
    });
    onTestFinished(() => resolver.stop());
    const value = native.encodeSeq([3, 4].map((main) => native.encodeUnit(main, 0, 0, 256, randomBytes(32))));
    const query = new URLSearchParams({ alg: 'io.iscc.v0', value: value.toString('base64') });
    await fetch(`${resolver.urls.resolver}/v1/matches/byBinding?${query}`);
    await fetch(`${resolver.urls.resolver}/v1/services/status`);
    await resolver.stop();
    await search.stop();
    const outer = collector.spans.filter(({ service }) => service === 'isccd-resolver');
    const inner = collector.spans.filter(({ service }) => service === 'isccd-search');
    expect(outer.length).toBeGreaterThan(1);
    expect(inner.length).toBeGreaterThan(0);
    expect(outer.every(({ parentSpanId }) => parentSpanId === undefined)).toBe(true);
    for (const span of inner.filter(({ parentSpanId }) => parentSpanId !== undefined)) {
      expect(outer).toContainEqual(
        expect.objectContaining({ traceId: span.traceId, spanId: span.parentSpanId }),
      );
    }
    expect(inner.some(({ parentSpanId }) => parentSpanId !== undefined)).toBe(true);
  });
});

describe('SpanExporter', () => {
  const served = { method: 'GET', route: '/x', status: 503, seconds: 0.001, requestId: 'r' };
  const record = (exporter: SpanExporter) => {
    const spans = exporter.of('codes');
    spans.end({ ...served, trace: spans.begin(traceOf(undefined)) });
    return spans;
  };
  const exporterTo = (url: string) => {
    const settings = config({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url });
    return new SpanExporter(settings as NonNullable<typeof settings>, createLogger('silent'));
  };

  it('sends again after 503 and an unreachable collector, and drops after 400', async () => {
    const collector = await startCollector();
    const exporter = exporterTo(`${collector.url}/own/path`);
    collector.status = 503;
    const spans = record(exporter);
    await spans.flush();
    expect(exporter.counts).toEqual({ exported: 0, dropped: 0 });
    collector.status = 200;
    await spans.flush();
    expect(exporter.counts).toEqual({ exported: 1, dropped: 0 });
    expect(collector.spans).toMatchObject([{ name: 'GET /x', status: { code: 2 } }]);
    expect(collector.requests.map(({ path }) => path)).toEqual(['/own/path', '/own/path']);
    collector.status = 400;
    await record(exporter).flush();
    expect(exporter.counts).toEqual({ exported: 1, dropped: 1 });
    const unreachable = exporterTo('http://127.0.0.1:9/v1/traces');
    await record(unreachable).flush();
    expect(unreachable.counts).toEqual({ exported: 0, dropped: 0 });
  });

  it('keeps a bounded number of spans', async () => {
    const exporter = exporterTo('http://127.0.0.1:9/v1/traces');
    for (let i = 0; i < 6000; i += 1) record(exporter);
    await record(exporter).flush();
    expect(exporter.counts.dropped).toBeGreaterThan(1000);
    expect(exporter.counts.exported).toBe(0);
  });
});

describe('the sampler', () => {
  const sampled = (environment: Record<string, string>, traceparent?: string) => {
    const settings = config({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', ...environment });
    const exporter = new SpanExporter(settings as NonNullable<typeof settings>, createLogger('silent'));
    return exporter.of('codes').begin(traceOf(traceparent)).isSampled;
  };

  it.each([
    ['parentbased_always_on', true, false, true],
    ['parentbased_always_off', false, false, true],
    ['always_on', true, true, true],
    ['always_off', false, false, false],
  ])('%s', (sampler, alone, unsampled, isSampled) => {
    const environment = { OTEL_TRACES_SAMPLER: sampler };
    expect([
      sampled(environment),
      sampled(environment, header('00').traceparent),
      sampled(environment, header('01').traceparent),
    ]).toEqual([alone, unsampled, isSampled]);
  });

  it('takes a share of the traces by their ids', () => {
    const environment = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' };
    const count = Array.from({ length: 4000 }, () => sampled(environment)).filter(Boolean).length;
    expect(count).toBeGreaterThan(700);
    expect(count).toBeLessThan(1300);
    const decisions = Array.from({ length: 10 }, () => sampled(environment, header('00').traceparent));
    expect(new Set(decisions).size).toBe(1);
  });
});

describe('the variables', () => {
  it('turn the export off without an endpoint, whatever the protocol is', () => {
    expect(config({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toBeUndefined();
  });

  it('report another protocol and invalid headers', async () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    };
    const stderr =
      'isccd: OTEL_EXPORTER_OTLP_PROTOCOL="grpc" must be http/json; collectors receive it on port 4318\n';
    expect(await isccd(['serve'], { env })).toMatchObject({ code: 2, stderr });
    expect(await isccd(['check', 'config'], { env })).toMatchObject({ code: 1, stderr });
    expect(() =>
      config({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h', OTEL_EXPORTER_OTLP_HEADERS: 'x' }),
    ).toThrow('OTEL_EXPORTER_OTLP_HEADERS=(hidden) must be name=value');
  });
});
