/** Starts the built program with all services on free ports. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '../../src/compose/service-names.js';
import { freePorts } from './free-ports.js';
import { type ServedProcess, serve } from './serve.js';

const PORT_VARIABLES: Readonly<Record<ServiceName, string>> = {
  codes: 'CODEWEB_PORT',
  search: 'INDEXSVC_PORT',
  store: 'MSTORE_PORT',
  resolver: 'RESOLVER_PORT',
};

/** Levels at which services log only what is wrong. */
export const QUIET = {
  CODEWEB_LOG_LEVEL: 'warn',
  INDEXSVC_LOG_LEVEL: 'warn',
  MSTORE_LOG_LEVEL: 'error',
  RESOLVER_LOG_LEVEL: 'warn',
};

export interface AllServices {
  readonly folder: string;
  readonly url: ServedProcess['urls'];
  /** The environment of the services, for commands that use them. */
  readonly variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts `isccd serve` in a new folder, which is removed on stop. */
export async function startAllServices(
  variables: Readonly<Record<string, string>> = {},
): Promise<AllServices> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-services-'));
  const env = { ...(await servicePorts()), ...QUIET, ISCCD_DATA_DIR: folder, ...variables };
  const served = await serve(SERVICE_NAMES, { cwd: folder, env });
  return {
    folder,
    url: served.urls,
    variables: env,
    stop: async () => {
      await served.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Variables with a free port for each service. Port 0 does not work, because the store's URL contains its port. */
export async function servicePorts(): Promise<Record<string, string>> {
  const ports = await freePorts(SERVICE_NAMES.length);
  return Object.fromEntries(SERVICE_NAMES.map((name, at) => [PORT_VARIABLES[name], String(ports[at])]));
}
