/** Variables that every service declares in the same words, under its own prefix. */
import { integer, LOG_LEVELS, listenAddress, logLevel, origins, port, webAddress } from './schemas.js';
import type { Variable } from './variable.js';

/** Host, port, log level, error tracking and number of reverse proxies. */
export function listenVariables<const P extends string>(
  prefix: P,
  defaultPort: number,
  defaultLogLevel: 'DEBUG' | 'info' = 'info',
) {
  return {
    host: {
      name: `${prefix}_HOST`,
      schema: listenAddress(),
      default: '127.0.0.1',
      description: 'Address to listen on',
    },
    port: {
      name: `${prefix}_PORT`,
      schema: port(),
      default: String(defaultPort),
      description: 'Port to listen on; 0 picks a free one',
    },
    logLevel: {
      name: `${prefix}_LOG_LEVEL`,
      schema: logLevel(),
      default: defaultLogLevel,
      description:
        `Least severe log lines to write: ${levels()}` +
        (defaultLogLevel === 'DEBUG' ? '; on a terminal, the default is `info`' : ''),
    },
    errorTrackingDsn: {
      name: `${prefix}_ERROR_TRACKING_DSN`,
      schema: webAddress({ mayHaveKey: true }),
      secret: true,
      defaultShown: '',
      description: 'Sentry-compatible DSN to report unexpected errors to',
    },
    proxies: {
      name: `${prefix}_NUM_PROXIES`,
      schema: integer(0, 32),
      default: '0',
      description:
        'Number of reverse proxies in front, whose `X-Forwarded-*` headers are trusted; 0 trusts none',
    },
  } as const satisfies Readonly<Record<string, Variable>>;
}

/** Origins for CORS. */
export function corsVariables<const P extends string>(prefix: P, defaultOrigins: '' | '*') {
  return {
    corsOrigins: {
      name: `${prefix}_CORS_ORIGINS`,
      schema: origins(),
      default: defaultOrigins,
      description:
        'Origins that may call the service from a browser, separated by spaces or commas; `*` allows any',
    },
  } as const satisfies Readonly<Record<string, Variable>>;
}

function levels(): string {
  const quoted = LOG_LEVELS.map((level) => `\`${level}\``);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** Whether only this machine can reach a service that listens on the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
