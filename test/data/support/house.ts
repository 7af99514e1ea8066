/** All services in one process of their own, over data in one folder, as a user starts them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type StoreClient, storeClient, storeEnvironment } from '../../store/support/server.js';

const MAIN = path.resolve(import.meta.dirname, '../../../dist/cli/main.js');
const STOP_MS = 20_000;
/** A hundred years: fixtures must not expire. */
const EXPIRY_SECONDS = 100 * 365 * 86_400;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface House {
  readonly codes: string;
  readonly search: string;
  readonly store: StoreClient;
  /** Number of the process. */
  readonly pid: number;
  stop(): Promise<void>;
}

export type Extra = Readonly<Record<string, string>>;

/** The environment of services, and of commands, whose data is in `codes`, `search` and `store` of a folder. */
export function houseEnvironment(folder: string, extra: Extra = {}): Record<string, string> {
  return {
    ISCCD_DATA_DIR: folder,
    CODEWEB_MEDIA_PATH: path.join(folder, 'codes'),
    CODEWEB_STORAGE_EXPIRY: String(EXPIRY_SECONDS),
    CODEWEB_LOG_LEVEL: 'warn',
    CODEWEB_PORT: '0',
    CODEWEB_MAX_WORKERS: '1',
    INDEXSVC_PORT: '0',
    RESOLVER_PORT: '0',
    ...storeEnvironment({ dataDir: path.join(folder, 'store'), url: undefined }),
    ...extra,
  };
}

/** Runs `isccd` to its end. */
export async function isccd(args: readonly string[], environment: Extra): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, ...environment } });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => {
    output.stdout += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    output.stderr += data.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

/** Starts codes, search and store; rejects with what was said if one does not start. */
export async function startHouse(folder: string, extra: Extra = {}): Promise<House> {
  const child = spawn(process.execPath, [MAIN, 'serve', 'codes', 'search', 'store'], {
    env: { ...process.env, ...houseEnvironment(folder, extra) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
    child.kill('SIGTERM');
    await ended;
  };
  let output = '';
  const urls = await new Promise<Map<string, string>>((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data.toString();
      const found = [...output.matchAll(/^(\w+) +(http:\/\/127\.0\.0\.1:\d+) /gm)];
      if (found.length === 3) resolve(new Map(found.map(([, name = '', url = '']) => [name, url])));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(output)));
  });
  const url = (name: string) => urls.get(name) ?? '';
  const port = Number(new URL(url('store')).port);
  return {
    codes: url('codes'),
    search: url('search'),
    store: storeClient({ url: url('store'), port, stop }),
    pid: child.pid ?? 0,
    stop,
  };
}
