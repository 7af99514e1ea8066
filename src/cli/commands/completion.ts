/** `isccd completion SHELL` and the manual page, both generated from the command tree. */
import { Argument, type Command } from 'commander';
import { commandTree } from '../completion/command-tree.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const SCRIPTS = {
  bash: async () => (await import('../completion/bash.js')).bashScript,
  zsh: async () => (await import('../completion/zsh.js')).zshScript,
  fish: async () => (await import('../completion/fish.js')).fishScript,
} as const;

/** Declares `completion`, and the hidden command `man` for the build of the package. */
export function completionCommand(root: Command): void {
  root
    .command('completion')
    .description('print a script for shell completion of commands, options and values')
    .addArgument(new Argument('<shell>', 'target shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const script = await SCRIPTS[shell]();
      process.stdout.write(script(commandTree(root)));
    });
  root.command('man', { hidden: true }).action(async () => {
    const { manualPage } = await import('../help/manual.js');
    process.stdout.write(manualPage(commandTree(root)));
  });
}
