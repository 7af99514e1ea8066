import { open, rename, writeFile } from 'node:fs/promises';
import { CommandFailed, reason } from '../terminal/failure.js';

/** A reader of the file sees the old or the new content. @throws {CommandFailed} */
export async function replaceFile(file: string, parts: Iterable<string>): Promise<void> {
  const draft = `${file}.tmp`;
  try {
    await writeFile(draft, '');
    const handle = await open(draft, 'a');
    try {
      for (const block of inBlocks(parts)) await handle.write(block);
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    throw new CommandFailed(`${file} can't be written: ${reason(error)}`);
  }
}

const BLOCK_CHARACTERS = 1024 * 1024;

/** Fewer and larger parts, because each write takes a thread. */
function* inBlocks(parts: Iterable<string>): Generator<string> {
  let block = '';
  for (const part of parts) {
    block += part;
    if (block.length < BLOCK_CHARACTERS) continue;
    yield block;
    block = '';
  }
  yield block;
}
