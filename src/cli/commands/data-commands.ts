/** `isccd backup` and `isccd verify`: what an operator does with the data of all services. */
import type { Command } from 'commander';
import { jsonOption } from '../options.js';

const BACKUP_HELP = `
The services may run. What they had acknowledged before the command began is in the copy, and every
row of the copy has its file. DIR must be new or empty; it appears, whole, at the end. Where the data
is, the same variables and .env tell as for serve. Files are hard links where DIR is on the same file
system. A PostgreSQL database is copied by pg_dump, which has to be on the PATH.

To restore, stop the services and copy DIR/codes, DIR/search and DIR/store where the services look for
them (a PostgreSQL database: pg_restore store/store.pgdump); then start them.`;

const VERIFY_HELP = `
DIR is a backup, a data directory, or a folder with some; without it the data of the configured
services is checked. The services may run. Every row is read, every file is held against its digest,
the vectors and bindings against the rows they are made of. A problem is one line with the store, the
key and the rule; the exit status is then 1.`;

/** Declares the commands; what they need is loaded when they are called. */
export function dataCommands(root: Command): void {
  root
    .command('backup')
    .description('copy the data of all services, while they run')
    .argument('<dir>', 'folder to make')
    .addOption(jsonOption())
    .addHelpText('after', BACKUP_HELP)
    .action(async (directory, options) => (await import('./backup.js')).backup(directory, options));
  root
    .command('verify')
    .description('check data directories or a backup: every row, every file')
    .argument('[dir]', 'backup or data directory (default: where the services have their data)')
    .addOption(jsonOption())
    .addHelpText('after', VERIFY_HELP)
    .action(async (directory, options) => (await import('./verify.js')).verify(directory, options));
}
