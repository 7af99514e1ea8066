/** The tables of the first version. */
import type { Engine } from '../tables.js';
import { createAccounts } from './0001-accounts.js';
import { createDeclarations } from './0001-declarations.js';
import { createIndexLedger } from './0001-index-ledger.js';
import { createLog } from './0001-log.js';
import { createManifests } from './0001-manifests.js';
import { createWebhooks } from './0001-webhooks.js';
import type { Ddl } from './ddl.js';

export async function createStore(ddl: Ddl, engine: Engine): Promise<void> {
  await createManifests(ddl, engine);
  await createDeclarations(ddl, engine);
  await createIndexLedger(ddl, engine);
  await createAccounts(ddl, engine);
  await createWebhooks(ddl, engine);
  await createLog(ddl, engine);
  await ddl.schema
    .createTable('installation')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('rules', 'text')
    .execute();
}
