/** The built program with all its services, each on a free port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const MAIN = path.resolve(import.meta.dirname, '../../dist/cli/main.js');

export const SERVICE_NAMES = ['codes', 'search', 'store', 'resolver'] as const;
export type Service = (typeof SERVICE_NAMES)[number];

const PORT_VARIABLES: Readonly<Record<Service, string>> = {
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

type Urls = Record<Service, string> & { metrics?: string };

export interface RunningHouse {
  readonly folder: string;
  /** `metrics` is there if it was configured. */
  readonly url: Readonly<Urls>;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts `isccd serve` in a folder of its own, which is removed when it stops. */
export async function startHouse(variables: Readonly<Record<string, string>> = {}): Promise<RunningHouse> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-house-'));
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    cwd: folder,
    env: { ...process.env, ...(await housePorts()), ...QUIET, ISCCD_DATA_DIR: folder, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await announced(child);
  return {
    folder,
    url,
    process: child,
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
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

async function announced(child: ChildProcess): Promise<Urls> {
  const found: Partial<Urls> = {};
  let output = '';
  for await (const text of child.stdout?.setEncoding('utf8') ?? []) {
    output += text;
    for (const [, name, url] of output.matchAll(/^(\w+) +(http:\/\/\S+)/gm))
      found[name as keyof Urls] = String(url);
    if (SERVICE_NAMES.every((name) => found[name] !== undefined)) {
      child.stdout?.resume();
      return found as Urls;
    }
  }
  throw new Error(`isccd serve did not start: ${output}`);
}
