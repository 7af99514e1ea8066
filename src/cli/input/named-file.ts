/** The bytes of a file that a person named. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { CommandFailed } from '../terminal/failure.js';
import { fileProblem } from '../terminal/file-problem.js';

/**
 * @param file `-` for standard input
 * @throws {CommandFailed} naming the file
 */
export async function readNamed(file: string): Promise<Buffer> {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw new CommandFailed(`${file}: ${fileProblem(error)}`);
  }
}
