/** All migrations in order. A released migration never changes: every change is a new file. */
import type { Schema } from '../migration.js';
import type { Tables } from '../tables.js';
import { createStore } from './0001-store.js';

export const STORE_SCHEMA: Schema<Tables> = { steps: [createStore], compatibleSince: 1, table: 'manifests' };
