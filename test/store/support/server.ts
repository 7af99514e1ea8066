/** A store over HTTP in this process, built as `isccd serve store` does. */
import { createHash } from 'node:crypto';
import { storeConfig } from '../../../src/compose/first-run.js';
import { storeApp } from '../../../src/compose/store.js';
import { type RunningServer, startServer } from '../../../src/http/server.js';
import { loadTransport } from '../../../src/http/transport/load-transport.js';
import { readStoreSettings } from '../../../src/platform/config/store-settings.js';
import { createLogger } from '../../../src/platform/observe/log.js';
import { Metrics } from '../../../src/platform/observe/metrics.js';
import { TRUST_ANCHORS } from './fixtures.js';

export const OPERATOR_TOKEN = 'the operator of the tests';
export const STORE_URL = 'https://store.example/base';

export interface Place {
  readonly dataDir: string;
  readonly url: string | undefined;
}

export function storeEnvironment({ dataDir, url }: Place): Record<string, string> {
  return {
    APP_SECRET_KEY: 'secret of the tests',
    MSTORE_URL: STORE_URL,
    MSTORE_PORT: '0',
    MSTORE_DATA_DIR: dataDir,
    DATABASE_URL: url ?? '',
    MSTORE_TRUST_ANCHORS: TRUST_ANCHORS,
    MSTORE_OPERATOR_TOKEN_SHA256: createHash('sha256').update(OPERATOR_TOKEN).digest('hex'),
    MSTORE_RATE_WRITE: '1000000/s',
    MSTORE_RATE_READ: '1000000/s',
    MSTORE_LOG_LEVEL: 'fatal',
  };
}

export interface StoreClient {
  readonly url: string;
  readonly port: number;
  upload(bytes: Uint8Array, query?: string, headers?: Record<string, string>): Promise<Response>;
  get(manifestId: string, headers?: Record<string, string>): Promise<Response>;
  remove(manifestId: string, token?: string, headers?: Record<string, string>): Promise<Response>;
  query(alg: string, value: string, maxResults?: number): Promise<{ status: number; body: QueryAnswer }>;
  json(path: string): Promise<unknown>;
  /** The metrics of the store as text; empty if it runs in another process. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

export interface QueryAnswer {
  readonly detail?: string;
  readonly matches?: readonly { manifestId: string; similarityScore: number; isccId?: string }[];
}

export async function startStore(
  place: Place,
  environment: Record<string, string> = {},
  transport: 'auto' | 'uws' | 'node' = 'auto',
  { allowed = new Set() }: { allowed?: ReadonlySet<string> | undefined } = {},
): Promise<StoreClient> {
  const { config } = storeConfig(readStoreSettings({ ...storeEnvironment(place), ...environment }));
  const log = createLogger(config.logLevel);
  const app = await storeApp(config, log, {}, { allowed });
  const server = await startServer(app, {
    host: '127.0.0.1',
    port: 0,
    transport: loadTransport(transport, log),
    log,
  });
  const metrics = new Metrics();
  metrics.register(app.metrics ?? []);
  return storeClient(server, async () => (await metrics.exposition()).text);
}

export function storeClient(
  { url, port, stop }: Pick<RunningServer, 'url' | 'port' | 'stop'>,
  metrics = async () => '',
): StoreClient {
  const manifest = (id: string) => `${url}/v1/manifests/${encodeURIComponent(id)}`;
  return {
    url,
    port,
    stop,
    metrics,
    upload: (bytes, query = '', headers = {}) =>
      fetch(`${url}/v1/manifests${query}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/c2pa', ...headers },
        body: bytes,
      }),
    get: (id, headers = {}) => fetch(manifest(id), { headers }),
    remove: (id, token = OPERATOR_TOKEN, headers = {}) =>
      fetch(manifest(id), { method: 'DELETE', headers: { Authorization: `Bearer ${token}`, ...headers } }),
    query: async (alg, value, maxResults = 100) => {
      const response = await fetch(`${url}/v1/matches/byBinding?maxResults=${maxResults}`, {
        method: 'POST',
        body: JSON.stringify({ alg, value }),
      });
      return { status: response.status, body: (await response.json()) as QueryAnswer };
    },
    json: async (path) => (await fetch(url + path)).json(),
  };
}
