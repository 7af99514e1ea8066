/** The manual page `isccd(1)`, in the macros of man(7). */
import { version } from '../../platform/version.js';
import { allCommands, type CommandNode } from '../completion/command-tree.js';
import { EXIT_STATUSES } from '../terminal/failure.js';
import { exampleLines } from './help.js';

export function manualPage(root: CommandNode): string {
  return [
    `.TH ISCCD 1 "" "isccd ${version}" "User Commands"`,
    '.SH NAME',
    `isccd \\- ${escaped(root.description)}`,
    '.SH SYNOPSIS',
    '.B isccd',
    escaped(root.usage),
    '.SH COMMANDS',
    ...allCommands(root).slice(1).flatMap(command),
    '.SH ENVIRONMENT',
    'Services are configured by environment variables and by \\fI.env\\fR in the working directory.',
    '.B isccd serve \\-\\-env',
    'lists all of them with their defaults,',
    '.B isccd check config',
    'shows their values.',
    '.PP',
    '.B NO_COLOR',
    'and',
    '.B FORCE_COLOR',
    'disable and enable colours.',
    '.SH EXIT STATUS',
    ...Object.entries(EXIT_STATUSES).flatMap(([status, meaning]) => [
      '.TP',
      `.B ${status}`,
      escaped(meaning),
    ]),
    '.SH EXAMPLES',
    ...examples(root),
    '',
  ].join('\n');
}

function command(node: CommandNode): string[] {
  return [
    `.SS isccd ${escaped([...node.path, node.usage].join(' '))}`,
    escaped(node.description),
    ...node.arguments
      .filter(({ description }) => description !== '')
      .flatMap(({ term, description }) => ['.TP', `.I ${escaped(term)}`, escaped(description)]),
    ...node.options.flatMap(({ term, description }) => ['.TP', `.B ${escaped(term)}`, escaped(description)]),
    ...examples(node),
  ];
}

function examples({ path }: CommandNode): string[] {
  return ['.PP', '.nf', ...exampleLines(path).map(escaped), '.fi'];
}

/** Escapes backslashes, hyphens, and a leading dot or quote, which would start a macro. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
