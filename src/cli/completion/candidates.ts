/** What can follow a command: the same for every shell. */
import { allCommands, type CommandNode } from './command-tree.js';

export interface Candidate {
  readonly word: string;
  /** One line; may be empty. */
  readonly about: string;
}

/** One place in the tree of commands. */
export interface Place {
  /** `/index/create`; empty for the program. */
  readonly at: string;
  /** Subcommands, or the only values that arguments have. */
  readonly words: readonly Candidate[];
  readonly options: readonly Candidate[];
  /** Values of options that have few, by spelling. */
  readonly values: readonly { readonly flag: string; readonly choices: readonly string[] }[];
  /** Options whose values may be anything, files for example. */
  readonly openFlags: readonly string[];
  /** Whether arguments may be files. */
  readonly takesFiles: boolean;
}

export function places(root: CommandNode): Place[] {
  return allCommands(root).map(place);
}

/** All paths but that of the program, as {@link Place.at} has them. */
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
