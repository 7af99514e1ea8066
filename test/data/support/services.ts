/** Codes, search and store in one process started by the command, with their data in one folder. */
import path from 'node:path';
import { type StoreClient, storeClient, storeEnvironment } from '../../store/support/server.js';
import { type Ended, isccd as runIsccd } from '../../support/command.js';
import { serve } from '../../support/serve.js';

/** 100 years, so that fixtures do not expire. */
const EXPIRY_SECONDS = 100 * 365 * 86_400;

export interface Services {
  readonly codes: string;
  readonly search: string;
  readonly store: StoreClient;
  stop(): Promise<void>;
}

export type Extra = Readonly<Record<string, string>>;

/** Environment of services and commands with their data in `codes`, `search` and `store` of a folder. */
export function servicesEnvironment(folder: string, extra: Extra = {}): Record<string, string> {
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

/** Starts codes, search and store. Rejects with the output if one does not start. */
export async function startServices(folder: string, extra: Extra = {}): Promise<Services> {
  const services = ['codes', 'search', 'store'] as const;
  const { urls, stop } = await serve(services, { env: servicesEnvironment(folder, extra) });
  const { codes, search, store: url } = urls;
  return { codes, search, store: storeClient({ url, port: Number(new URL(url).port), stop }), stop };
}
