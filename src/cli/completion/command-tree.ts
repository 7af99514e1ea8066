/** The commands as plain data, read from commander; the source of completions, the manual and examples. */
import type { Argument, Command, Option } from 'commander';

export interface CommandNode {
  /** Words after `isccd`; empty for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  /** E.g. `[options] <files...>`. */
  readonly usage: string;
  readonly arguments: readonly ArgumentNode[];
  readonly options: readonly OptionNode[];
  readonly commands: readonly CommandNode[];
}

export interface ArgumentNode {
  /** E.g. `<files...>` or `[services...]`. */
  readonly term: string;
  readonly description: string;
  /** The allowed values; empty if any value, such as a file, is allowed. */
  readonly choices: readonly string[];
}

export interface OptionNode {
  /** E.g. `-V, --version`. */
  readonly term: string;
  /** E.g. `-V` and `--version`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

export function commandTree(command: Command, path: readonly string[] = []): CommandNode {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  return {
    path,
    description: command.description(),
    usage: command.usage(),
    arguments: command.registeredArguments.map((argument) => argumentNode(argument)),
    options: help.visibleOptions(command).map((option) => optionNode(option)),
    commands: commands.map((child) => commandTree(child, [...path, child.name()])),
  };
}

/** A command and all commands below it, in pre-order. */
export function allCommands(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(allCommands)];
}

function argumentNode(argument: Argument): ArgumentNode {
  const name = argument.name() + (argument.variadic ? '...' : '');
  return {
    term: argument.required ? `<${name}>` : `[${name}]`,
    description: argument.description,
    choices: argument.argChoices ?? [],
  };
}

function optionNode({ flags, short, long, description, required, optional, argChoices }: Option): OptionNode {
  return {
    term: flags,
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
  };
}
