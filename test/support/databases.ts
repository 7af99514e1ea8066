/** Empty databases of both engines, for suites that run against each. All files share one server of PostgreSQL. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { newLocation } from '../search/support/locations.js';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type EngineName = (typeof ENGINES)[number];

export interface TestDatabases {
  /** A new folder for a store's files, and the `DATABASE_URL` of a new database; `undefined` for a file in the folder. */
  create(): Promise<{ dataDir: string; url: string | undefined }>;
  stop(): Promise<void>;
}

export async function testDatabases(engine: EngineName): Promise<TestDatabases> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'isccd-store-'));
  return {
    create: async () => ({
      dataDir: await mkdtemp(path.join(folder, 'data-')),
      url: engine === 'postgres' ? await newLocation('postgresql') : undefined,
    }),
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}
