/** All migrations in order. A released migration never changes: every change is a new file. */
import type { Schema } from '../../../../storage/database/migration.js';
import type { SearchTables } from '../tables.js';
import { createIndexes } from './0001-indexes.js';
import { createLogs } from './0002-logs.js';
import { createTags } from './0003-tags.js';
import { leaveOutVersions } from './0004-one-name.js';
import { addWatches } from './0005-watches.js';

/** Programs before migration 2 do not know that an index follows logs. */
export const SEARCH_SCHEMA: Schema<SearchTables> = {
  steps: [createIndexes, createLogs, createTags, leaveOutVersions, addWatches],
  compatibleSince: 2,
  table: 'indexes',
};
