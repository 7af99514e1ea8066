/** All services in one process of their own, over data in one folder, as a user starts them. */
import path from 'node:path';
import { type StoreClient, storeClient, storeEnvironment } from '../../store/support/server.js';
import { type Ended, isccd as runIsccd } from '../../support/command.js';
import { serve } from '../../support/serve.js';

/** A hundred years: fixtures must not expire. */
const EXPIRY_SECONDS = 100 * 365 * 86_400;

export interface House {
  readonly codes: string;
  readonly search: string;
  readonly store: StoreClient;
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
export function isccd(args: readonly string[], env: Extra): Promise<Ended> {
  return runIsccd(args, { env });
}

/** Starts codes, search and store; rejects with what was said if one does not start. */
export async function startHouse(folder: string, extra: Extra = {}): Promise<House> {
  const services = ['codes', 'search', 'store'] as const;
  const { urls, stop } = await serve(services, { env: houseEnvironment(folder, extra) });
  const { codes, search, store: url } = urls;
  return { codes, search, store: storeClient({ url, port: Number(new URL(url).port), stop }), stop };
}
