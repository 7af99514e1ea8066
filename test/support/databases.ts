/** Empty databases of both engines, for suites that run against each. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type PostgresServer, startPostgres } from './postgres.js';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type EngineName = (typeof ENGINES)[number];

export interface TestDatabases {
  /** A new folder for a store's files, and the `DATABASE_URL` of a new database; `undefined` for a file in the folder. */
  create(): Promise<{ dataDir: string; url: string | undefined }>;
  stop(): Promise<void>;
}

export async function testDatabases(engine: EngineName): Promise<TestDatabases> {
  const server: PostgresServer | undefined = engine === 'postgres' ? await startPostgres() : undefined;
  const folder = await mkdtemp(path.join(os.tmpdir(), 'isccd-store-'));
  return {
    create: async () => ({
      dataDir: await mkdtemp(path.join(folder, 'data-')),
      url: await server?.createDatabase(),
    }),
    stop: async () => {
      await server?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
