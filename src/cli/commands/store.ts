/** `isccd store ...`: what an operator does beside a running store. */
import type { Command } from 'commander';
import { alwaysJsonOption, jsonOption } from '../options.js';

/** Declares the subcommands; what they need is loaded when they are called. */
export function storeCommands(root: Command): void {
  const store = root
    .command('store')
    .description('manifest store: accounts, keys and tokens of the operator');
  store
    .command('gen-key')
    .description('make a secret key for declarations, and the did document that publishes it')
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
    .description('sign a manifest of a file with a throw-away certificate, to try a store with')
    .argument('<file>', 'any file that `isccd code` takes')
    .option('-o, --output <path>', 'where it goes (default: the name of the file with .c2pa)')
    .addOption(alwaysJsonOption())
    .action(async (file, options) => (await import('../input/sample-manifest.js')).sample(file, options));
  accountCommands(store);
}

/** `isccd store account ...`: who may log in to the dashboard. */
function accountCommands(store: Command): void {
  const account = store.command('account').description('accounts of the dashboard');
  const actions = () => import('./store-account.js');
  const stdin = ['--password-stdin', 'read the password from standard input'] as const;
  account
    .command('add <name>')
    .description('make an account; it may look at everything')
    .option('--can-delete', 'it may also delete, release and retry')
    .option(...stdin)
    .addOption(jsonOption())
    .action(async (name, options) => (await actions()).add(name, options));
  account
    .command('passwd <name>')
    .description('set a new password, and log the account out')
    .option(...stdin)
    .addOption(jsonOption())
    .action(async (name, options) => (await actions()).changePassword(name, options));
  account
    .command('disable <name>')
    .description('log the account out, and let it in no more')
    .addOption(jsonOption())
    .action(async (name, options) => (await actions()).setDisabled(name, true, options));
  account
    .command('enable <name>')
    .description('let a disabled account in again')
    .addOption(jsonOption())
    .action(async (name, options) => (await actions()).setDisabled(name, false, options));
  account
    .command('list')
    .description('all accounts, one a line')
    .addOption(jsonOption())
    .action(async (options) => (await actions()).list(options));
}
