/** `isccd store ...`: what an operator does beside a running store. */
import type { Command } from 'commander';

/** Declares the subcommands; what they need is loaded when they are called. */
export function storeCommands(root: Command): void {
  const store = root
    .command('store')
    .description('manifest store: accounts, keys and tokens of the operator');
  store
    .command('gen-key')
    .description('make a secret key for declarations, and the did document that publishes it')
    .option('--url <address>', 'public address of the store (default: MSTORE_URL)')
    .action(async (options) => (await import('./store-keys.js')).generateKey(options));
  store
    .command('hash-token')
    .description('SHA-256 of the operator token, for MSTORE_OPERATOR_TOKEN_SHA256')
    .argument('[token]', 'the token (default: standard input)')
    .action(async (token) => (await import('./store-keys.js')).hashToken(token));
}
