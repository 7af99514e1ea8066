/** The codes service in this process, on a free port. Workers run the compiled script in dist/. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../../../src/http/server.js';
import { loadTransport } from '../../../src/http/transport/load-transport.js';
import { type CodesConfig, readCodesConfig } from '../../../src/platform/config/codes.js';
import { createLogger } from '../../../src/platform/observe/log.js';
import { Metrics } from '../../../src/platform/observe/metrics.js';
import { codesApp } from '../../../src/services/codes/app.js';
import type { WorkerOptions } from '../../../src/services/codes/pipeline/start.js';
import { TRANSPORTS } from '../../support/transports.js';

export { TRANSPORTS };

export const WORKER_ENTRY = fileURLToPath(
  new URL('../../../dist/services/codes/pipeline/worker.js', import.meta.url),
);

export interface CodesServerOptions {
  readonly transport?: 'uws' | 'node';
  readonly config?: Partial<CodesConfig>;
  /** Kept after the server closes. Default: a new folder, removed on close. */
  readonly folder?: string;
  readonly workers?: WorkerOptions;
  /** Whether to serve `/metrics`. */
  readonly servesMetrics?: boolean;
}

export interface CodesServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  close(): Promise<void>;
}

export async function startCodes(options: CodesServerOptions = {}): Promise<CodesServer> {
  const folder = options.folder ?? (await mkdtemp(path.join(tmpdir(), 'isccd-codes-')));
  const config = {
    ...readCodesConfig({ CODEWEB_MEDIA_PATH: folder, CODEWEB_MAX_WORKERS: '2' }),
    ...options.config,
  };
  const log = createLogger('error');
  const app = await codesApp(config, log, { entry: WORKER_ENTRY, ...options.workers });
  const transport = loadTransport(options.transport ?? 'auto', log);
  const server = await startServer(app, {
    host: '127.0.0.1',
    port: 0,
    transport,
    log,
    ...(options.servesMetrics && { metrics: new Metrics(), servesMetrics: true }),
  });
  return {
    url: server.url,
    port: server.port,
    folder,
    close: async () => {
      await server.stop();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
