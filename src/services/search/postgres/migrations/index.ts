/** All migrations in order. A released migration never changes: every change is a new file. */
import type { Schema } from '../../../../storage/database/migration.js';
import type { SearchTables } from '../tables.js';
import { createIndexes } from './0001-indexes.js';

export const SEARCH_SCHEMA: Schema<SearchTables> = {
  steps: [createIndexes],
  compatibleSince: 1,
  table: 'indexes',
};
