/** Variables that apply to every service and command. */
import os from 'node:os';
import path from 'node:path';
import { consoleVariable } from './console.js';
import { proxyVariables } from './proxy.js';
import { redisVariable } from './redis.js';
import { boolean, integer, number, oneOf, portOrOff, text } from './schemas.js';
import { tracingVariables } from './tracing.js';
import { defineVariables, type Values } from './variable.js';

export const commonVariables = defineVariables({
  transport: {
    name: 'ISCCD_TRANSPORT',
    schema: oneOf('auto', 'uws', 'node'),
    default: 'auto',
    description:
      'HTTP transport: `uws` (uWebSockets.js; at most 999,999,999 bytes per body, unless chunked), `node` (node:http), ' +
      'or `auto`: `uws` if its binary loads and no body limit exceeds 1 GiB, else `node`',
  },
  simd: {
    name: 'ISCCD_SIMD',
    schema: oneOf('auto', 'portable', 'avx2', 'avx512'),
    default: 'auto',
    description: 'Highest instruction set that the kernels use; `auto` uses the best one of the CPU',
  },
  sandbox: {
    name: 'ISCCD_SANDBOX',
    schema: oneOf('auto', 'off'),
    default: 'auto',
    description:
      'Sandbox of the processes that read files and manifests of strangers (Linux): no connections, and only the files that ' +
      'they need. `auto`: as far as the kernel allows it; `off`: for programs that work outside of it only',
  },
  environment: {
    name: 'ISCCD_ENVIRONMENT',
    schema: oneOf('production', 'development'),
    default: 'production',
    description:
      '`development` adds details to the error responses of all services, unless `CODEWEB_ENVIRONMENT` or `APP_DEBUG` is set; `isccd serve --dev` sets it',
  },
  dataDir: {
    name: 'ISCCD_DATA_DIR',
    schema: text().transform((directory) => path.resolve(directory)),
    default: path.join(os.homedir(), '.local', 'share', 'isccd'),
    defaultShown: '~/.local/share/isccd',
    description: 'Folder for the data of all services, except those that have a folder configured',
  },
  bodyMemory: {
    name: 'ISCCD_BODY_MEMORY',
    schema: integer(1024 ** 2),
    defaultShown: 'a 16th of the memory, at most 134217728',
    unit: 'bytes',
    description:
      'Memory for request bodies that are kept whole, of all services of the process; uploads of files are not. The values in a body take up to five times as much while they are processed. One client network gets at most half of it while others use it; beyond it 503 before the body is read. The default counts the limit of a container',
  },
  metricsPort: {
    name: 'ISCCD_METRICS_PORT',
    schema: portOrOff(),
    default: 'off',
    description:
      'Port of `/metrics` for Prometheus, with the metrics of all services in the process, and of a `/healthz` that responds to HTTP/1.0; 0 picks a free one, `off` disables it',
  },
  metricsHost: {
    name: 'ISCCD_METRICS_HOST',
    schema: text(),
    default: '127.0.0.1',
    description: 'Address that `/metrics` listens on',
  },
  metricsPublic: {
    name: 'ISCCD_METRICS_PUBLIC',
    schema: boolean(),
    default: 'false',
    description: 'Whether every service also serves `/metrics` on its own address',
  },
  drainSeconds: {
    name: 'ISCCD_DRAIN_SECONDS',
    schema: number(0, 3600),
    default: '0',
    unit: 'seconds',
    description:
      'For how long a process that stops (SIGTERM) serves requests on open connections; it accepts no new ones. Behind a ' +
      'reverse proxy, longer than the proxy keeps idle connections: then no request is lost. Requests in flight get 10 s more',
  },
  redisUrl: redisVariable,
  console: consoleVariable,
  ...proxyVariables,
  ...tracingVariables,
});

export type CommonConfig = Values<typeof commonVariables>;
