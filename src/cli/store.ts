/** `isccd store ...`: what an operator does beside a running store. */
import type { Command } from 'commander';

/** Declares the subcommands; what they need is loaded when they are called. */
export function storeCommands(root: Command): void {
  root.command('store').description('manifest store: accounts, keys and tokens of the operator');
}
