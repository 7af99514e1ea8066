/** How a command fails: one line on standard error, and an exit status. */
import { ConnectionFailed, InvalidArgument, InvalidResponse, ServiceError } from '../../client/errors.js';
import { StartFailed } from '../../compose/start-failed.js';
import type { NativeErrorCode } from '../../native.js';
import { AddonMissing } from '../../platform/addon-missing.js';
import { ConfigurationInvalid } from '../../platform/config/variable.js';
import { failureReason } from '../../platform/failure-reason.js';
import { EXIT_BROKEN } from '../../platform/observe/broken.js';
import { printable } from '../../platform/printable.js';
import { FormatRefused } from '../../storage/data/format.js';
import { StorageUnavailable } from '../../storage/data/unavailable.js';

/** A command failed for a reason that its user can act on; the message is one line. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const EXIT_CONFIGURATION = 2;
export const EXIT_INTERRUPTED = 130;

/** The exit statuses of all commands. */
export const EXIT_STATUSES: Readonly<Record<number, string>> = {
  0: 'success',
  1: 'failure, or a check found problems',
  [EXIT_CONFIGURATION]: 'invalid arguments or configuration',
  [EXIT_BROKEN]: 'isccd serve: storage stays unusable until a restart',
  [EXIT_INTERRUPTED]: 'interrupted',
};

/** Those of one command, or of all. Only services end because of their storage. */
export function exitStatuses(command?: string): (readonly [status: string, meaning: string])[] {
  const all = Object.entries(EXIT_STATUSES);
  return command === undefined || command === 'serve'
    ? all
    : all.filter(([status]) => status !== String(EXIT_BROKEN));
}

/** Of services and of storage. */
const REMOTE_ERRORS = [ServiceError, InvalidResponse, ConnectionFailed, StorageUnavailable] as const;

/** Errors of the addon about the state of the machine and of its data. Others are about a file, or bugs. */
const ADDON_CODES: readonly NativeErrorCode[] = [
  'IN_USE',
  'IO',
  'STORAGE_FULL',
  'NEWER_FORMAT',
  'BUSY',
  'LOADING',
  'INDEX_DAMAGED',
  'DATA_DAMAGED',
  'TIMEOUT',
];

/** Whether the operating system or the addon refuses, for example to open a file: no bug of the program. */
function isOfSystem(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return 'syscall' in error || ADDON_CODES.some((code) => code === error.code);
}

/** The error as a failure of the command; `undefined` for unexpected errors, which print their stack. */
export function asFailure(error: unknown): CommandFailed | undefined {
  if (error instanceof CommandFailed) return error;
  if (error instanceof AddonMissing) return new CommandFailed(error.message);
  if (error instanceof ConfigurationInvalid)
    return new CommandFailed(lines(error.problems), EXIT_CONFIGURATION);
  if (error instanceof InvalidArgument) return new CommandFailed(error.message, EXIT_CONFIGURATION);
  if (error instanceof FormatRefused) return new CommandFailed(error.message, EXIT_CONFIGURATION);
  if (REMOTE_ERRORS.some((kind) => error instanceof kind) || isOfSystem(error))
    return new CommandFailed(reason(error));
  if (!(error instanceof StartFailed)) return undefined;
  return new CommandFailed(error.message, error.isConfiguration ? EXIT_CONFIGURATION : 1);
}

/** Problems as one message with a line each, all with the name of the program. Line feeds in a problem are escaped. */
export function lines(problems: readonly string[]): string {
  return problems.map(printable).join('\nisccd: ');
}

/** The messages of an error and of its causes in one line, without those that another one repeats. */
export function reasons(error: unknown): string {
  const found: string[] = [];
  for (let one = error; one !== undefined; one = one instanceof Error ? one.cause : undefined) {
    const text = lastCharacters(reason(one).replace(/\s+/g, ' ').trim(), REASON_CHARACTERS_MAX);
    // What `fetch` throws says only that it failed; its cause says why.
    const isEmpty = text === 'fetch failed' && one instanceof Error && one.cause !== undefined;
    if (!isEmpty && !found.some((other) => other.includes(text))) found.push(text);
  }
  return found.join(' - ');
}

/** Child processes print the reason last, after a lot of other output. */
const REASON_CHARACTERS_MAX = 300;

function lastCharacters(text: string, max: number): string {
  return text.length > max ? `…${text.slice(-max)}` : text;
}

/** The message of anything that was thrown. */
export function reason(error: unknown): string {
  return failureReason(error);
}
