/** `isccd backup` and `isccd verify`: commands for the data of all services. */
import type { Command } from 'commander';
import { alwaysJsonOption, jsonOption, keyOption } from '../options.js';

const BACKUP_HELP = `
The services may be running. The copy contains everything they acknowledged before the command
started, and every row of the copy has its file. DIR must not exist or must be empty; it appears,
complete, at the end. The data is found by the same variables and .env as for serve. On the same file
system, files are hard links. A PostgreSQL database is copied by pg_dump, which must be on the PATH.

To restore: stop the services, copy DIR/codes, DIR/search and DIR/store to the data folders of the
services (for PostgreSQL: pg_restore store/store.pgdump), and start the services.`;

const VERIFY_HELP = `
DIR is a backup, a data directory, or a folder of data directories. Without DIR, the data of the
configured services is checked. The services may be running. The command reads every row and compares
files with their digests, and vectors and bindings with their rows. A problem is one line with the
store, the key and the rule; the exit status is then 1.

--digests also prints the SHA-256 of all assets of each index, as its export has them. Indexes with equal
digests are equal: those in PostgreSQL, the cache of an instance (verify DIR/search-cache), a folder.

The line "audit log" has the number of entries of the store's audit log and the last hash of its chain. Note
it elsewhere: with --audit-head, a later check finds that entries were changed, added or removed, also if
an intruder who can write to the database computed the chain again. backup.json has it, too. The line
"store log" has the same of the store's transparency log, for --log-head.`;

const ADDRESSES = 'postgresql:// or opensearch+https:// address';

const REINDEX_HELP = `
Missing indexes are created with their declared paths; assets replace those with the same ISCC-ID.
Aliases and API keys are not brought along. A folder must not be in use by a service. At the end, the
command compares the numbers of assets, and up to 100 assets per index with the results of a search for
each. If they differ, for example because clients wrote meanwhile, the exit status is 1.`;

const KEY_PURPOSE = 'API key of the service or OpenSearch cluster at';

/** Declares the commands. Their modules are loaded when a command runs. */
export function dataCommands(root: Command): void {
  root
    .command('backup')
    .description('back up the data of all services while they run')
    .argument('<dir>', 'folder to create')
    .addOption(jsonOption())
    .addHelpText('after', BACKUP_HELP)
    .action(async (directory, options) => (await import('./backup.js')).backup(directory, options));
  root
    .command('reindex')
    .description(
      'bring all indexes of one place to another, and compare both; continues after an interruption',
    )
    .requiredOption('--from <where>', `folder, ${ADDRESSES} or URL of a service`)
    .addOption(keyOption('--from-api-key <key>', `${KEY_PURPOSE} --from`, 'ISCCD_FROM_API_KEY'))
    .requiredOption('--to <where>', `folder, ${ADDRESSES} or URL of a service`)
    .addOption(keyOption('--to-api-key <key>', `${KEY_PURPOSE} --to`, 'ISCCD_TO_API_KEY'))
    .option('--report <file>', 'file for the rows that are refused', 'isccd-refused.ndjson')
    .option('--state <file>', 'file that remembers how far it is', 'isccd-reindex.json')
    .addOption(alwaysJsonOption())
    .addHelpText('after', REINDEX_HELP)
    .action(async (options) => (await import('./reindex.js')).reindex(options));
  root
    .command('verify')
    .description('check every row and file of data directories or of a backup')
    .argument('[dir]', 'backup or data directory (default: data of the configured services)')
    .option('--digests', 'print a digest of each index')
    .option(
      '--audit-head <head>',
      'also check that the audit log has this head of an earlier check or backup',
    )
    .option('--log-head <head>', "the same for the store's transparency log")
    .addOption(jsonOption())
    .addHelpText('after', VERIFY_HELP)
    .action(async (directory, options) => (await import('./verify.js')).verify(directory, options));
}
