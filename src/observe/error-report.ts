/**
 * Reports unexpected errors to a Sentry-compatible service. A report holds the error and its request id, and no
 * header, address, file name or body of a user.
 */
import {
  type BaseTransportOptions,
  type Client,
  createStackParser,
  createTransport,
  nodeStackLineParser,
  Scope,
  ServerRuntimeClient,
  type Transport,
} from '@sentry/core';
import { version } from '../version.js';

export interface ErrorReports {
  /** Sends an error in the background; never throws. */
  report(error: unknown, tags: Readonly<Record<string, string>>): void;
  /** Waits up to {@link CLOSE_TIMEOUT_MS} for pending reports. */
  close(): Promise<void>;
}

export interface ErrorReportOptions {
  /** `https://KEY@HOST/PROJECT`. */
  readonly dsn: string;
  readonly service: string;
  readonly release: string;
  readonly environment: string;
}

/** The part of a service's configuration that concerns error tracking. */
export interface ErrorTrackingConfig {
  readonly errorTrackingDsn: string | undefined;
  readonly environment?: string;
}

const SEND_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 3000;

/** The `errorReports` of a service; empty if no DSN is configured. */
export function errorTracking(
  service: string,
  { errorTrackingDsn: dsn, environment = 'production' }: ErrorTrackingConfig,
): { readonly errorReports?: ErrorReports } {
  return dsn === undefined
    ? {}
    : { errorReports: errorReports({ dsn, service, release: version, environment }) };
}

export function errorReports({ dsn, service, release, environment }: ErrorReportOptions): ErrorReports {
  const client: Client = new ServerRuntimeClient({
    dsn,
    release,
    environment,
    platform: 'node',
    integrations: [],
    transport: fetchTransport,
    stackParser: createStackParser(nodeStackLineParser()),
    sendClientReports: false,
  });
  client.init();
  return {
    report(error, tags) {
      const scope = new Scope();
      scope.setTags({ service, ...tags });
      client.captureException(error, {}, scope);
    },
    close: async () => {
      await client.close(CLOSE_TIMEOUT_MS);
    },
  };
}

/** A report that cannot be delivered is dropped, so that an outage of the receiver does not spread to this service. */
function fetchTransport(options: BaseTransportOptions): Transport {
  return createTransport(options, async ({ body }) => {
    const response = await fetch(options.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-sentry-envelope' },
      body: typeof body === 'string' ? body : new Uint8Array(body),
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return {
      statusCode: response.status,
      headers: {
        'x-sentry-rate-limits': response.headers.get('x-sentry-rate-limits'),
        'retry-after': response.headers.get('retry-after'),
      },
    };
  });
}
