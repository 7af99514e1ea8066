/**
 * Unexpected errors to a Sentry-compatible service. Only the error itself is sent, with the id of its request: no
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

export interface ErrorReports {
  /** Hands an error on; never throws, and nobody waits for it. */
  report(error: unknown, tags: Readonly<Record<string, string>>): void;
  /** Sends what is still on its way, for a few seconds at most. */
  close(): Promise<void>;
}

export interface ErrorReportOptions {
  /** `https://KEY@HOST/PROJECT`. */
  readonly dsn: string;
  readonly service: string;
  readonly release: string;
  readonly environment: string;
}

const SEND_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 3000;

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

/** A report that can't be delivered is lost: an outage there must not become one here. */
function fetchTransport(options: BaseTransportOptions): Transport {
  return createTransport(options, async ({ body }) => {
    const answer = await fetch(options.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-sentry-envelope' },
      body: typeof body === 'string' ? body : new Uint8Array(body),
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
    await answer.arrayBuffer();
    return {
      statusCode: answer.status,
      headers: {
        'x-sentry-rate-limits': answer.headers.get('x-sentry-rate-limits'),
        'retry-after': answer.headers.get('retry-after'),
      },
    };
  });
}
