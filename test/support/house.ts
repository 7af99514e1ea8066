/** The built program with all its services, each on a free port. */
import { mkdtemp, rm } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '../../src/compose/service-names.js';
import { type ServedProcess, serve } from './serve.js';

const PORT_VARIABLES: Readonly<Record<ServiceName, string>> = {
  codes: 'CODEWEB_PORT',
  search: 'INDEXSVC_PORT',
  store: 'MSTORE_PORT',
  resolver: 'RESOLVER_PORT',
};

const QUIET = {
  CODEWEB_LOG_LEVEL: 'warn',
  INDEXSVC_LOG_LEVEL: 'warn',
  MSTORE_LOG_LEVEL: 'error',
  RESOLVER_LOG_LEVEL: 'warn',
};

export interface RunningHouse {
  readonly folder: string;
  readonly url: ServedProcess['urls'];
  stop(): Promise<void>;
}

/** Starts `isccd serve` in a folder of its own, which is removed when it stops. */
export async function startHouse(variables: Readonly<Record<string, string>> = {}): Promise<RunningHouse> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-house-'));
  const env = { ...(await housePorts()), ...QUIET, ISCCD_DATA_DIR: folder, ...variables };
  const served = await serve(SERVICE_NAMES, { cwd: folder, env });
  return {
    folder,
    url: served.urls,
    stop: async () => {
      await served.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Variables with a free port for each service; the store's is in its address, so that 0 does not do. */
export async function housePorts(): Promise<Record<string, string>> {
  const ports = await Promise.all(SERVICE_NAMES.map(freePort));
  return Object.fromEntries(SERVICE_NAMES.map((name, at) => [PORT_VARIABLES[name], String(ports[at])]));
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
