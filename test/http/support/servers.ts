/** Runs suites over each transport. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe } from 'vitest';
import { type RunningServer, startServer } from '../../../src/http/server.js';
import type { Transport } from '../../../src/http/transport/transport.js';
import { TRANSPORTS, transportOf } from '../../support/transports.js';
import { type Demo, demo } from './demo.js';
import { RawClient } from './raw.js';

export interface Context {
  readonly transport: Transport['name'];
  readonly app: Demo;
  readonly server: RunningServer;
  /** Parsed log lines. */
  readonly logLines: Record<string, unknown>[];
  connect(): Promise<RawClient>;
}

/** Runs a suite over every transport, each with its own server. */
export function overEachTransport(
  name: string,
  suite: (context: Context) => void,
  make: () => Demo = demo,
): void {
  describe.each(TRANSPORTS)(`${name} over %s`, (transport) => {
    const context = { transport, logLines: [] } as unknown as { -readonly [K in keyof Context]: Context[K] };
    const clients: RawClient[] = [];
    beforeAll(async () => {
      context.app = make();
      context.server = await serve(context.app, transportOf(transport), context.logLines);
      context.connect = async () => {
        const client = await RawClient.connect(context.server.port);
        clients.push(client);
        return client;
      };
    });
    afterAll(async () => {
      for (const client of clients) client.destroy();
      await context.server.stop();
    });
    suite(context);
  });
}

export function serve(
  app: Demo,
  transport: Transport,
  logLines: Record<string, unknown>[] = [],
  options: { readonly drainMs?: number } = {},
): Promise<RunningServer> {
  const log = pino(
    { level: 'trace', base: null },
    { write: (line: string) => logLines.push(JSON.parse(line)) },
  );
  return startServer(app, { host: '127.0.0.1', port: 0, transport, log, ...options });
}
