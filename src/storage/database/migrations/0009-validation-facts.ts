/** Adds what a validation finds: algorithms that are not on the list, the certificate's end, and a summary. */
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.js';

export async function addValidationFacts(ddl: Transaction<Tables>): Promise<void> {
  const manifests = ddl.schema.alterTable('manifests');
  await manifests.addColumn('unknown_algorithms', 'text').execute();
  await manifests.addColumn('certificate_expires', 'bigint').execute();
  await manifests.addColumn('summary', 'text').execute();
  // Finds trusted manifests whose certificate has expired.
  await ddl.schema
    .createIndex('manifests_certificate_expires')
    .on('manifests')
    .column('certificate_expires')
    .execute();
  await ddl.schema.alterTable('installation').addColumn('rules', 'text').execute();
}
