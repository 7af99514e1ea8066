/** `isccd store ...`: commands for the operator of a manifest store. */
import type { Command } from 'commander';
import { alwaysJsonOption, jsonOption } from '../options.js';

/** Declares the subcommands. Their modules are loaded when a command runs. */
export function storeCommands(root: Command): void {
  const store = root.command('store').description('manifest store: dashboard accounts, keys and tokens');
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
  accountCommands(store);
}

/** `isccd store account ...`: dashboard accounts. */
function accountCommands(store: Command): void {
  const account = store.command('account').description('dashboard accounts');
  const actions = () => import('./store-account.js');
  const stdin = ['--password-stdin', 'read the password from standard input'] as const;
  account
    .command('add <name>')
    .description('create an account; it may view everything')
    .option('--can-delete', 'the account may also delete, release and retry')
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
    .command('list')
    .description('list all accounts, one per line')
    .addOption(jsonOption())
    .action(async (options) => (await actions()).list(options));
}
