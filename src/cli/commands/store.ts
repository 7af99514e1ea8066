/** `isccd store ...`: commands for the operator of a manifest store. */
import { type Command, Option } from 'commander';
import { TRUST_KINDS } from '../../platform/config/trust-list.js';
import { ROLES } from '../../storage/database/tables.js';
import { alwaysJsonOption, jsonOption, keyOption } from '../options.js';

/** Declares the subcommands. Their modules are loaded when a command runs. */
export function storeCommands(root: Command): void {
  const store = root
    .command('store')
    .description('manifest store: manifests, dashboard accounts, keys and tokens');
  manifestCommands(store);
  keyCommands(store);
  logCommands(store);
  store
    .command('reindex')
    .description('fill the similarity indexes of the running stores from the start')
    .option('--bindings', 'also read the bindings of all manifests from their files again')
    .option('--no-wait', 'do not wait until the indexes are filled')
    .addOption(jsonOption())
    .action(async (options) => (await import('./store-reindex.js')).reindex(options));
  store
    .command('verify')
    .description('check every row and file of the store, or validate its manifests again')
    .option(
      '--rejudge',
      'validate all manifests of the running stores again instead, as store revalidate does',
    )
    .option('--no-wait', 'do not wait until they are validated')
    .addOption(jsonOption())
    .action(async ({ rejudge, ...options }) => {
      if (rejudge) await (await import('./store-revalidate.js')).revalidate(options);
      else await (await import('./verify.js')).verify(undefined, { json: options.json, only: 'store' });
    });
  store
    .command('revalidate')
    .description('validate all manifests of the running stores again, with the anchors of today')
    .option('--no-wait', 'do not wait until they are validated')
    .addOption(jsonOption())
    .action(async (options) => (await import('./store-revalidate.js')).revalidate(options));
  store
    .command('restore <id>')
    .description('undo the delete of a manifest, while its bytes are kept (MSTORE_UNDO_DAYS)')
    .addOption(jsonOption())
    .action(async (id, options) => (await import('./store-restore.js')).restore(id, options));
  store
    .command('copy-files')
    .description(
      'copy the files of MSTORE_DATA_DIR to the bucket of MSTORE_BLOBS; repeat it after an interruption',
    )
    .addOption(jsonOption())
    .action(async (options) => (await import('./store-copy-files.js')).copyFiles(options));
  store
    .command('audit')
    .description('print the audit log: who did what when, from where; oldest entries first')
    .option('--actor <name>', 'entries of this account or system user')
    .option('--action <action>', 'entries of this action, such as manifest-deleted')
    .option('--subject <name>', 'entries about this manifest id or account')
    .option('--from <time>', 'entries from this date or time on')
    .option('--to <time>', 'entries before this date or time')
    .option('--csv', 'comma-separated values')
    .addOption(jsonOption())
    .action(async (options) => (await import('./store-audit.js')).audit(options));
  accountCommands(store);
  tokenCommands(store);
  trustCommands(store);
}

/** Commands that sign and verify. */
function keyCommands(store: Command): void {
  store
    .command('gen-key')
    .description('generate a secret key for declarations and its DID document')
    .option('--url <address>', 'public address of the store (default: MSTORE_URL)')
    .addOption(jsonOption())
    .action(async (options) => (await import('./store-keys.js')).generateKey(options));
  store
    .command('hash-token')
    .description('SHA-256 of the operator token, for MSTORE_OPERATOR_TOKEN_SHA256')
    .argument('[token]', 'the token (default: standard input)')
    .addOption(jsonOption())
    .action(async (token, options) => (await import('./store-keys.js')).hashToken(token, options));
  store
    .command('sample')
    .description('sign a test manifest for a file with a temporary certificate')
    .argument('<file>', 'any file that `isccd code` accepts')
    .option('-o, --output <path>', 'output file (default: the name of the file plus .c2pa)')
    .addOption(alwaysJsonOption())
    .action(async (file, options) => (await import('../input/sample-manifest.js')).sample(file, options));
  store
    .command('verify-receipt')
    .description(
      'verify a signed receipt of a store, and the proof that it is in the log of the store, offline',
    )
    .argument('<file>', 'the receipt, or the response of an upload that has one (- for standard input)')
    .option('--key <key>', 'public key of the store, z6Mk…')
    .option('--did <file>', 'DID document of the store, from its /.well-known/did.json')
    .option('--manifest <file>', 'also compare the bytes of a Manifest Store with the receipt')
    .option(
      '--log [url]',
      'also read the log of the store, and check that it still has the entry; at this address of the store',
    )
    .addOption(jsonOption())
    .action(async (file, options) => (await import('./store-receipt.js')).verifyReceipt(file, options));
}

/** Commands that read what any store serves. */
function logCommands(store: Command): void {
  store
    .command('check-log')
    .description('verify the transparency log of a store')
    .argument('<url>', 'address of the store')
    .option('--key <key>', 'public key of the store, z6Mk… (default: those of its /.well-known/did.json)')
    .option(
      '--kept <file>',
      'the checkpoint of an earlier check, which the log must begin with; then the new one',
    )
    .option('--entries', 'also read all entries: their hashes and the order of their times')
    .option('--origin <name>', 'name of the log, such as store.example/log (default: by the address)')
    .addOption(jsonOption())
    .action(async (url, options) => (await import('./store-log.js')).checkLog(url, options));
}

/** Commands for the manifests of a running store. */
function manifestCommands(store: Command): void {
  const actions = () => import('./store-manifests.js');
  const command = (name: string, description: string) =>
    store
      .command(name)
      .description(description)
      .option('--at <url>', 'address of the store (default: the store on this machine)')
      .addOption(keyOption('--token <token>', 'upload token, or the operator token', 'ISCCD_STORE_TOKEN'))
      .addOption(alwaysJsonOption());
  command('add <files...>', 'store manifests: files, folders, globs, addresses, or - for standard input')
    .option('--include <glob...>', 'only files that match, relative to the folder')
    .option('--exclude <glob...>', 'no files that match')
    .option('--jobs <n>', 'uploads at a time', '4')
    .option('--no-declare', 'do not declare them to a hub')
    .action(async (files, options) => (await actions()).add(files, options));
  command('list', 'list manifests: those of the token, or all with the operator token')
    .option('--after <key>', 'only those after this key')
    .action(async (options) => (await actions()).list(options));
  command('get <id>', 'write the bytes of a manifest')
    .option('-o, --output <file>', 'file (default: standard output)')
    .action(async (id, options) => (await actions()).get(id, options));
  command('rm <ids...>', 'delete manifests and withdraw their declarations').action(async (ids, options) =>
    (await actions()).remove(ids, options),
  );
}

/** `isccd store token ...`: upload tokens of publishers. */
function tokenCommands(store: Command): void {
  const token = store.command('token').description('upload tokens of publishers');
  const actions = () => import('./store-token.js');
  token
    .command('add <publisher>')
    .description('create a token and print it; a publisher may have two valid ones, for a rotation')
    .option(
      '--scope <scope...>',
      'store:manifests, store:bindings, read:manifests or delete:manifests (default: all)',
    )
    .option('--days <number>', 'days until the token expires (default: never)')
    .addOption(jsonOption())
    .action(async (publisher, options) => (await actions()).add(publisher, options));
  token
    .command('list')
    .description('list all tokens, one per line, without their secrets')
    .addOption(jsonOption())
    .action(async (options) => (await actions()).list(options));
  token
    .command('revoke <number>')
    .description('make a token invalid from now on')
    .addOption(jsonOption())
    .action(async (number, options) => (await actions()).revoke(number, options));
}

/** `isccd store trust ...`: lists of signers, CAWG identities and time-stampers. */
function trustCommands(store: Command): void {
  const trust = store.command('trust').description('lists of trusted signers, identities and time-stampers');
  const actions = () => import('./store-trust.js');
  trust
    .command('list', { isDefault: true })
    .description('list the trust lists in force, with their age')
    .addOption(jsonOption())
    .action(async (options) => (await actions()).list(options));
  trust
    .command('update <source>')
    .description('use a newer list: a file or an https address, PEM or JSON as the C2PA publishes it')
    .addOption(
      new Option(
        '--kind <kind>',
        'whom the list vouches for (default: by its name, time-stampers for TSA, identities for CAWG, else signers)',
      ).choices(TRUST_KINDS),
    )
    .addOption(jsonOption())
    .action(async (source, options) => (await actions()).update(source, options));
  trust
    .command('reset <kind>')
    .description('use the bundled list again: of signers, identities or time-stampers')
    .addOption(jsonOption())
    .action(async (kind, options) => (await actions()).reset(kind, options));
}

/** `isccd store account ...`: dashboard accounts. */
function accountCommands(store: Command): void {
  const account = store.command('account').description('dashboard accounts');
  const actions = () => import('./store-account.js');
  const stdin = ['--password-stdin', 'read the password from standard input'] as const;
  account
    .command('add <name>')
    .description('create an account')
    .addOption(new Option('--role <role>', 'what it may do (default: viewer)').choices(ROLES))
    .option('--can-delete', 'same as --role deleter')
    .option(...stdin)
    .addOption(jsonOption())
    .action(async (name, options) => (await actions()).add(name, options));
  account
    .command('passwd <name>')
    .description('set a new password and end all sessions of the account')
    .option(...stdin)
    .addOption(jsonOption())
    .action(async (name, options) => (await actions()).changePassword(name, options));
  account
    .command('disable <name>')
    .description('end all sessions of an account and refuse its logins')
    .addOption(jsonOption())
    .action(async (name, options) => (await actions()).setDisabled(name, true, options));
  account
    .command('enable <name>')
    .description('allow a disabled account to log in again')
    .addOption(jsonOption())
    .action(async (name, options) => (await actions()).setDisabled(name, false, options));
  account
    .command('role <name> <role>')
    .description('set what an account may do: viewer, operator, deleter or admin')
    .addOption(jsonOption())
    .action(async (name, role, options) => (await actions()).setRole(name, role, options));
  account
    .command('unlock <name>')
    .description('let an account log in that is locked after failed logins')
    .addOption(jsonOption())
    .action(async (name, options) => (await actions()).unlock(name, options));
  account
    .command('remove-factor <name>')
    .description('remove the second factor of an account whose owner has lost the device')
    .addOption(jsonOption())
    .action(async (name, options) => (await actions()).removeFactor(name, options));
  account
    .command('list')
    .description('list all accounts, one per line')
    .addOption(jsonOption())
    .action(async (options) => (await actions()).list(options));
}
