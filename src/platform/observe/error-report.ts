/**
 * Reports unexpected errors to a Sentry-compatible service. A report holds the error and its request id, and no
 * header, address, file name or body of a user.
 */
import { version } from '../version.js';
import type { ErrorReports } from './error-client.js';

/** The part of a service's configuration that concerns error tracking. */
export interface ErrorTrackingConfig {
  readonly errorTrackingDsn: string | undefined;
  readonly environment?: string;
}

/** The `errorReports` of a service; empty if no DSN is configured. Only then is the client library loaded: 235 files. */
export async function errorTracking(
  service: string,
  { errorTrackingDsn: dsn, environment = 'production' }: ErrorTrackingConfig,
): Promise<{ readonly errorReports?: ErrorReports }> {
  if (dsn === undefined) return {};
  const { errorReports } = await import('./error-client.js');
  return { errorReports: errorReports({ dsn, service, release: version, environment }) };
}
