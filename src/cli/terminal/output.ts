/** Output of a command: a file that the user names, or standard output. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailed, reason } from './failure.js';

/**
 * Writes pieces as fast as the output takes them.
 *
 * @param file standard output if `undefined`
 * @throws {CommandFailed} if the file can't be written
 */
export async function writeOutput(
  pieces: AsyncIterable<Uint8Array | string>,
  file: string | undefined,
): Promise<void> {
  const source = Readable.from(pieces);
  if (file === undefined) return pipeline(source, process.stdout, { end: false });
  const target = createWriteStream(file);
  let failure: Error | undefined;
  target.once('error', (error) => {
    failure = error;
  });
  try {
    await pipeline(source, target);
  } catch (error) {
    // Of the file, not of the source.
    throw error === failure ? new CommandFailed(`${file}: ${reason(error)}`) : error;
  }
}
