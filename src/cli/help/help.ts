/** Adds examples and exit statuses to the help of every command. */
import { inspect } from 'node:util';
import type { Command, HelpConfiguration } from 'commander';
import { exitStatuses } from '../terminal/failure.js';
import { EXAMPLES } from './examples.js';

/** Commander removes the colours if the output does not support them. */
export const HELP_STYLE: HelpConfiguration = { styleTitle: bold };

/** Completes the help of a command and of all its subcommands. */
export function completeHelp(command: Command, path: readonly string[] = []): void {
  command.addHelpText('after', () => `\n${section('Examples:', exampleLines(path))}\n${exitSection(path)}`);
  for (const child of command.commands) completeHelp(child, [...path, child.name()]);
}

export function exampleLines(path: readonly string[]): string[] {
  return (EXAMPLES[path.join(' ')] ?? []).map(({ line }) => `$ ${line}`);
}

function exitSection([command]: readonly string[]): string {
  const lines = exitStatuses(command).map(([status, meaning]) => `${status.padEnd(4)} ${meaning}`);
  return section('Exit status:', lines);
}

function section(title: string, lines: readonly string[]): string {
  return `${bold(title)}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function bold(text: string): string {
  const [on, off] = inspect.colors.bold ?? [0, 0];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
