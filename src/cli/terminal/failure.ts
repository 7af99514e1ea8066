import { ConfigurationInvalid } from '../../config/variable.js';

/** A command that cannot do what it was asked; the message is one line for the person who asked. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A configuration or an argument that can't be used is the caller's to mend, not a crash: its own exit code. */
export const EXIT_CONFIGURATION = 2;
export const EXIT_INTERRUPTED = 130;

/** What every command says by its exit status. */
export const EXIT_STATUSES: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'not done, or a check has found something',
  [EXIT_CONFIGURATION]: 'wrong arguments or configuration',
  [EXIT_INTERRUPTED]: 'interrupted',
};

/** What `read` gives; a variable that breaks its rule fails the command with that one line. */
export function readOrFail<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigurationInvalid) throw new CommandFailed(error.message, EXIT_CONFIGURATION);
    throw error;
  }
}

/** What was thrown and, once each, what caused it, in one line. */
export function reasons(error: unknown): string {
  const found = new Set<string>();
  for (let one = error; one !== undefined; one = one instanceof Error ? one.cause : undefined) {
    found.add(lastCharacters(reason(one).replace(/\s+/g, ' ').trim(), REASON_CHARACTERS_MAX));
  }
  return [...found].join(' - ');
}

/** A program says a lot before it says why it ends. */
const REASON_CHARACTERS_MAX = 300;

function lastCharacters(text: string, max: number): string {
  return text.length > max ? `…${text.slice(-max)}` : text;
}

/** The message of whatever was thrown. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
