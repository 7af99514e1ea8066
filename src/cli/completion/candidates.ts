/** Completion candidates per command, independent of the shell. */
import { allCommands, type CommandNode } from './command-tree.js';

export interface Candidate {
  readonly word: string;
  /** One line; may be empty. */
  readonly about: string;
}

/** One command in the tree. */
export interface Place {
  /** E.g. `/index/create`; empty for the program itself. */
  readonly at: string;
  /** Subcommands, or the allowed values of an argument. */
  readonly words: readonly Candidate[];
  readonly options: readonly Candidate[];
  /** Allowed values of options, by flag. */
  readonly values: readonly { readonly flag: string; readonly choices: readonly string[] }[];
  /** Options with arbitrary values, such as files. */
  readonly openFlags: readonly string[];
  /** Whether arguments may be files. */
  readonly takesFiles: boolean;
}

export function places(root: CommandNode): Place[] {
  return allCommands(root).map(place);
}

/** All paths except that of the program, as in {@link Place.at}. */
export function knownPaths(root: CommandNode): string[] {
  return places(root)
    .map(({ at }) => at)
    .filter((at) => at !== '');
}

function place({ path, commands, arguments: parameters, options }: CommandNode): Place {
  const choices = parameters.flatMap((parameter) => parameter.choices);
  const withValue = options.filter(({ takesValue }) => takesValue);
  return {
    at: path.map((word) => `/${word}`).join(''),
    words: [
      ...commands.map(({ path, description }) => ({ word: path.at(-1) ?? '', about: description })),
      ...choices.map((word) => ({ word, about: '' })),
    ],
    options: options.flatMap(({ flags, description }) => flags.map((word) => ({ word, about: description }))),
    values: withValue.flatMap(({ flags, choices }) =>
      choices.length === 0 ? [] : flags.map((flag) => ({ flag, choices })),
    ),
    openFlags: withValue.flatMap(({ flags, choices }) => (choices.length === 0 ? flags : [])),
    takesFiles: parameters.some(({ choices }) => choices.length === 0),
  };
}
