/** Output of a command: a file that the user names, or standard output. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { realpath, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailed, reason } from './failure.js';

/**
 * Writes pieces as fast as the output takes them. A file gets its name when it is complete: until then, and if writing
 * fails, an earlier file of that name stays.
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
  const earlier = await stat(file).catch(() => undefined);
  // A device or a pipe can't be replaced.
  if (earlier !== undefined && !earlier.isFile()) return writeInto(source, file, file, {});
  const place = earlier === undefined ? file : await realpath(file);
  const draft = `${place}.${randomBytes(6).toString('hex')}.partial`;
  try {
    await writeInto(source, draft, file, { flags: 'wx', ...(earlier && { mode: earlier.mode & 0o777 }) });
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** @param file its name in messages */
async function writeInto(
  source: Readable,
  path: string,
  file: string,
  options: { readonly flags?: string; readonly mode?: number },
): Promise<void> {
  const target = createWriteStream(path, options);
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
