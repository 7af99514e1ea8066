/** All migrations in order. A released migration never changes: every change is a new file. */
import type { MigrationStep } from '../../../database/migrate.js';
import type { SearchTables } from '../tables.js';
import { createIndexes } from './0001-indexes.js';
import { createLogs } from './0002-logs.js';

export const SEARCH_MIGRATIONS: readonly MigrationStep<SearchTables>[] = [createIndexes, createLogs];
