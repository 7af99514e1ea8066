/** Wires the manifest store with what stands beside it on the same address and database. */
import { mkdir } from 'node:fs/promises';
import { dashboardRoutes } from '../admin/app.js';
import type { StoreConfig } from '../config/store.js';
import { type Database, openDatabase } from '../database/open.js';
import type { ServiceApp } from '../http/service.js';
import { FixedWindows } from '../limits/fixed-windows.js';
import { Throttle } from '../limits/throttle.js';
import type { Logger } from '../observe/log.js';
import { openStore } from '../store/app.js';
import { declarations } from '../store/declarations/declarations.js';
import { NO_DECLARER } from '../store/declarer.js';

/** @throws if the database, the folder or the trust anchors can't be used */
export async function storeApp(config: StoreConfig, log: Logger): Promise<ServiceApp> {
  await mkdir(config.dataDir, { recursive: true });
  const database = await openDatabase(config.databaseUrl, config.dataDir);
  try {
    return await wired(config, database, log);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function wired(config: StoreConfig, database: Database, log: Logger): Promise<ServiceApp> {
  const rates = { write: config.rateWrite, read: config.rateRead, login: config.rateLogin };
  const throttle = new Throttle(new FixedWindows(rates), config.unthrottled ?? []);
  const declarer = declarations({ config, db: database.db, log }) ?? NO_DECLARER;
  const store = await openStore(config, { database, throttle, declarer, log });
  return store.app(dashboardRoutes(database, store.service, throttle));
}
