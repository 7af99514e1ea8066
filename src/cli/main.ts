#!/usr/bin/env node
/** The `isccd` command. */
// First: other modules do not load on old versions.
import './node-version.js';
import './serve-hang-up.js';
import { CommanderError } from 'commander';
import { printableText } from '../platform/printable.js';
import { program } from './program.js';
import { painter } from './terminal/colour.js';
import { asFailure, CommandFailed, EXIT_CONFIGURATION } from './terminal/failure.js';
import { goesOnWithoutOutput } from './terminal/optional-output.js';

/** Until a failed command ends, whatever is still open. */
const END_MS_MAX = 5_000;

// A closed pipe (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (goesOnWithoutOutput()) return;
  if (error.code !== 'EPIPE') fail(new CommandFailed(`standard output can't be written: ${error.message}`));
  process.exit();
});
// Nowhere left to report it.
process.stderr.on('error', () => undefined);

try {
  await program().parseAsync();
} catch (error) {
  const failure = asFailure(error);
  if (failure !== undefined) fail(failure);
  // Commander has already printed the help or the invalid argument.
  else if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_CONFIGURATION;
  else throw error;
}

function fail({ message, exitCode }: CommandFailed): void {
  process.stderr.write(`${painter(process.stderr)('red', 'isccd:')} ${printableText(message)}\n`);
  process.exitCode = exitCode;
  // A connection that was left open must not keep the process, which its supervisor then would not start again.
  setTimeout(() => process.exit(), END_MS_MAX).unref();
}
