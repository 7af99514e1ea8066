/** All sources of a command's arguments. */
import { stdinSource, webSource } from './remote.js';
import { s3Sources } from './s3.js';
import type { Source, Unreadable } from './source.js';
import { localSources, type WalkOptions } from './walk.js';

export interface SourceOptions extends WalkOptions {
  /** Name of the content of standard input. */
  readonly filename?: string | undefined;
}

/** The sources of all arguments in their order, each once. */
export async function* sourcesOf(
  args: readonly string[],
  options: SourceOptions = {},
): AsyncGenerator<Source | Unreadable> {
  const seen = new Set<string>();
  for (const argument of args) {
    for await (const source of ofArgument(argument, options)) {
      if (seen.has(source.path)) continue;
      seen.add(source.path);
      yield source;
    }
  }
}

/** Whether an argument names content that is not in the local file system. */
export function isRemote(argument: string): boolean {
  return argument === '-' || /^(?:https?|s3):\/\//i.test(argument);
}

async function* ofArgument(argument: string, options: SourceOptions): AsyncGenerator<Source | Unreadable> {
  if (argument === '-') yield stdinSource(options.filename);
  else if (/^https?:\/\//i.test(argument)) yield webSource(argument);
  else if (/^s3:\/\//i.test(argument)) yield* s3Sources(argument);
  else yield* localSources(argument, options);
}
