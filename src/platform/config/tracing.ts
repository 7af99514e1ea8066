/** Variables of the export of traces, with the names of the OpenTelemetry specification. */
import { integer, number, oneOf, text, webAddress, webAddressOrOff } from './schemas.js';
import { ConfigurationInvalid, defineVariables, type Values } from './variable.js';

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

export const tracingVariables = defineVariables({
  otlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: webAddressOrOff(),
    defaultShown: 'off',
    description:
      'Address of an OpenTelemetry collector, such as `http://127.0.0.1:4318`, to which requests are exported as spans (OTLP over HTTP, JSON)',
  },
  otlpTracesEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    schema: webAddress(),
    defaultShown: '`/v1/traces` below `OTEL_EXPORTER_OTLP_ENDPOINT`',
    description: 'Full address for spans',
  },
  otlpProtocol: {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    schema: text(),
    default: 'http/json',
    description: 'Protocol of the export; only `http/json` is supported',
  },
  otlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    schema: text(),
    secret: true,
    defaultShown: '',
    description: 'Headers of the export: `name=value`, separated by commas, values percent-encoded',
  },
  traceSampler: {
    name: 'OTEL_TRACES_SAMPLER',
    schema: oneOf(...SAMPLERS),
    default: 'parentbased_always_on',
    description:
      'Which requests are exported; the `parentbased_` samplers decide only for requests without a valid `traceparent`',
  },
  traceSamplerRatio: {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    schema: number(0, 1),
    default: '1',
    description: 'Share of the traces that `traceidratio` exports, 0 to 1',
  },
  traceDelayMs: {
    name: 'OTEL_BSP_SCHEDULE_DELAY',
    schema: integer(10, 600_000),
    default: '5000',
    unit: 'milliseconds',
    description: 'Time between two exports',
  },
});

/** How and where to export spans. */
export interface TracingConfig {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly delayMs: number;
  /** Whether the caller's decision is followed, if there is one. */
  readonly followsParent: boolean;
  /** Share of the other traces, 0 to 1. */
  readonly ratio: number;
}

/** `undefined` without an endpoint. @throws {ConfigurationInvalid} */
export function tracingConfig(values: Values<typeof tracingVariables>): TracingConfig | undefined {
  const { otlpEndpoint, otlpTracesEndpoint, otlpProtocol, otlpHeaders, traceSampler } = values;
  const url = otlpTracesEndpoint ?? (otlpEndpoint && `${otlpEndpoint}/v1/traces`);
  if (url === undefined) return undefined;
  if (otlpProtocol !== 'http/json') {
    const { name } = tracingVariables.otlpProtocol;
    throw new ConfigurationInvalid(
      `${name}=${JSON.stringify(otlpProtocol)} must be http/json; collectors receive it on port 4318`,
    );
  }
  const root = traceSampler.replace('parentbased_', '');
  const ratios: Readonly<Record<string, number>> = { always_on: 1, always_off: 0 };
  return {
    url,
    headers: exportHeaders(otlpHeaders),
    delayMs: values.traceDelayMs,
    followsParent: root !== traceSampler,
    ratio: ratios[root] ?? values.traceSamplerRatio,
  };
}

function exportHeaders(list = ''): Record<string, string> {
  const entries = list.split(',').filter((entry) => entry.trim() !== '');
  try {
    const pairs = entries.map((entry): [string, string] => {
      const [, name = '', value = ''] = /^\s*([\w.!#$%&'*+^`|~-]+)\s*=\s*(.*?)\s*$/s.exec(entry) ?? [];
      return [name, decodeURIComponent(value)];
    });
    return Object.fromEntries(new Headers(pairs));
  } catch {
    const { name } = tracingVariables.otlpHeaders;
    throw new ConfigurationInvalid(
      `${name}=(hidden) must be name=value, separated by commas, percent-encoded`,
    );
  }
}
