/** All migrations in order. A released migration never changes: every change is a new file. */
import type { MigrationStep, Schema } from '../migration.js';
import type { Tables } from '../tables.js';
import { createStore } from './0001-store.js';
import { addSessionFlash } from './0002-session-flash.js';
import { addLocalIndex } from './0003-local-index.js';
import { addForgottenChanges } from './0004-forgotten-changes.js';
import { addLiveIndex } from './0005-live-index.js';
import { addBindingReadings } from './0006-binding-readings.js';
import { addInstallation } from './0007-installation.js';
import { addIndexBooks } from './0008-index-books.js';
import { addValidationFacts } from './0009-validation-facts.js';
import { addAuditLog } from './0010-audit-log.js';
import { addRoles } from './0011-roles.js';
import { addPublishers } from './0012-publishers.js';
import { addCatalogue } from './0013-catalogue.js';
import { addUndo } from './0014-undo.js';
import { addWebhooks } from './0015-webhooks.js';
import { addWebhookReceivers } from './0016-webhook-receivers.js';
import { addHistoryTags } from './0017-history-tags.js';
import { addOwnAccounts } from './0018-own-accounts.js';
import { addAuditChain } from './0019-audit-chain.js';

export const MIGRATIONS: readonly MigrationStep<Tables>[] = [
  createStore,
  addSessionFlash,
  addLocalIndex,
  addForgottenChanges,
  addLiveIndex,
  addBindingReadings,
  addInstallation,
  addIndexBooks,
  addValidationFacts,
  addAuditLog,
  addRoles,
  addPublishers,
  addCatalogue,
  addUndo,
  addWebhooks,
  addWebhookReceivers,
  addHistoryTags,
  addOwnAccounts,
  addAuditChain,
];

/** Programs before migration 19 ask for no second factors, and their entries would break the chain of the audit log. */
export const STORE_SCHEMA: Schema<Tables> = { steps: MIGRATIONS, compatibleSince: 19, table: 'manifests' };
