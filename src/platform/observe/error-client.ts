/** The client of {@link errorTracking}: `@sentry/core` without integrations, which adds no data of its own. */
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
import { outgoingFetch } from '../egress/fetch.js';

const SEND_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 3000;

/** Reports through a client of its own. `dsn` is the address of the receiver, with its key. */
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
    const response = await outgoingFetch(options.url, {
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

export interface ErrorReports {
  /** Sends an error in the background; never throws. */
  report(error: unknown, tags: Readonly<Record<string, string>>): void;
  /** Waits up to 3 s for pending reports. */
  close(): Promise<void>;
}

export interface ErrorReportOptions {
  /** `https://KEY@HOST/PROJECT`. */
  readonly dsn: string;
  readonly service: string;
  readonly release: string;
  readonly environment: string;
}
