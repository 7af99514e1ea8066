/** Variables that hold for every service and command. */
import os from 'node:os';
import path from 'node:path';
import { boolean, oneOf, port, text } from './schemas.js';
import { defineVariables, type Values } from './variable.js';

export const commonVariables = defineVariables({
  transport: {
    name: 'ISCCD_TRANSPORT',
    schema: oneOf('auto', 'uws', 'node'),
    default: 'auto',
    description:
      'HTTP transport: `uws` (uWebSockets.js, bodies of at most 999,999,999 bytes unless they come in chunks), `node` ' +
      '(node:http), or `auto` for the first wherever its binary loads and no limit is set above 1 GiB',
  },
  simd: {
    name: 'ISCCD_SIMD',
    schema: oneOf('auto', 'portable', 'avx2', 'avx512'),
    default: 'auto',
    description: 'Highest instruction set the kernels use; `auto` takes what the processor has',
  },
  dataDir: {
    name: 'ISCCD_DATA_DIR',
    schema: text().transform((directory) => path.resolve(directory)),
    default: path.join(os.homedir(), '.local', 'share', 'isccd'),
    defaultShown: '~/.local/share/isccd',
    description: 'Folder for what services keep when they are not told another place',
  },
  metricsPort: {
    name: 'ISCCD_METRICS_PORT',
    schema: port(),
    defaultShown: 'off',
    description:
      'Port of `/metrics`, the figures of all services of the process for Prometheus; 0 takes a free one',
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
    description: "Whether `/metrics` is answered on every service's own address, too",
  },
});

export type CommonConfig = Values<typeof commonVariables>;
