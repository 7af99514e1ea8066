/** The dashboard with a real database and store service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { ManifestReader } from '../../../src/c2pa/manifest-reader.js';
import { thumbnailsOf } from '../../../src/compose/thumbnails.js';
import { tokenActions } from '../../../src/compose/token-actions.js';
import { webhookActions } from '../../../src/compose/webhook-actions.js';
import { startServer } from '../../../src/http/server.js';
import { loadTransport } from '../../../src/http/transport/load-transport.js';
import { FixedWindows } from '../../../src/platform/limits/rate-limiter.js';
import { Throttle } from '../../../src/platform/limits/throttle.js';
import { createLogger } from '../../../src/platform/observe/log.js';
import { Accounts } from '../../../src/services/dashboard/accounts/accounts.js';
import { dashboardRoutes } from '../../../src/services/dashboard/app.js';
import type { AdminRoute } from '../../../src/services/dashboard/guarded.js';
import { NO_DECLARER } from '../../../src/services/store/declarer.js';
import { errorForm } from '../../../src/services/store/errors.js';
import { Manifests } from '../../../src/services/store/manifests/manifests.js';
import { StoreService } from '../../../src/services/store/service.js';
import { ManifestViews } from '../../../src/services/store/views.js';
import { FolderContentBlobs } from '../../../src/storage/blobs/content.js';
import { type Database, openDatabase } from '../../../src/storage/database/open.js';

export const PASSWORD = 'correct-Horse-7-battery';
/** May delete manifests. */
export const OPERATOR = 'olga';
/** Has read access only. */
export const READER = 'rita';
/** May do everything. */
export const ADMIN = 'ada';
/** Creates the accounts of tests. */
export const SET_UP = { kind: 'command', name: 'test' } as const;

export interface DashboardOptions {
  readonly logins?: number;
  readonly proxies?: number;
  /** Public address of the store. */
  readonly url?: string;
  /** Address of a PostgreSQL database; default: SQLite. */
  readonly databaseUrl?: string | undefined;
}

export interface Dashboard {
  readonly url: string;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly routes: readonly AdminRoute[];
  /** Log lines of the server, from `warn` on. */
  readonly logLines: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

export async function startDashboard({
  logins = 1000,
  proxies = 0,
  url = 'http://localhost',
  databaseUrl,
}: DashboardOptions = {}): Promise<Dashboard> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-admin-'));
  const database = await openDatabase(databaseUrl, folder);
  const accounts = new Accounts(database.db);
  await accounts.add(OPERATOR, PASSWORD, 'deleter', SET_UP);
  await accounts.add(READER, PASSWORD, 'viewer', SET_UP);
  await accounts.add(ADMIN, PASSWORD, 'admin', SET_UP);
  const logLines: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => logLines.push(JSON.parse(line)) });
  const limiter = new FixedWindows({ login: { count: logins, periodSeconds: 3600 } });
  const { service, views } = await store(database, folder);
  const routes = dashboardRoutes(database, service, new Throttle(limiter, []), {
    url,
    undoDays: 7,
    secretKey: 'secret of the tests',
    tokens: tokenActions(database.db),
    webhooks: webhookActions(database.db, { secretKey: 'secret of the tests', isConfigured: true }),
    thumbnails: thumbnailsOf(views),
    dataFolders: [folder],
  });
  const app = {
    name: 'store',
    title: 'Dashboard',
    description: 'For tests',
    version: '0',
    routes,
    errors: errorForm(false),
    proxies,
    docs: { tags: { probes: 'Health.' } },
  };
  const transport = loadTransport('auto', log);
  const server = await startServer(app, { host: '127.0.0.1', port: 0, transport, log });
  return {
    url: server.url,
    database,
    accounts,
    routes,
    logLines,
    close: async () => {
      await server.stop();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface TestStore {
  readonly service: StoreService;
  readonly views: ManifestViews;
}

/** Deletes and releases use neither the validator nor the binding index. Seeded manifests have no bytes. */
async function store({ db }: Database, folder: string): Promise<TestStore> {
  const url = 'http://localhost';
  const options = { url, secretKey: 'x', matchThreshold: 75, declareDefault: true };
  const manifests = new Manifests(db);
  const validator = {
    validate: () => Promise.reject(new Error('no uploads in these tests')),
    details: () => Promise.reject(new Error('no views in these tests')),
  };
  const service = new StoreService(options, {
    manifests,
    blobs: await FolderContentBlobs.open(path.join(folder, 'manifests'), '.c2pa'),
    declarer: NO_DECLARER,
    isManifestId: () => true,
    digest: () => Promise.reject(new Error('no uploads in these tests')),
    listedAlgorithms: () => new Set<string>(),
    log: createLogger('fatal'),
    validator,
    index: undefined as never,
  });
  return {
    service,
    views: new ManifestViews(service, { manifests, validator, reader: new ManifestReader(undefined), url }),
  };
}
