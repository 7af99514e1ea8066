/** A name of a folder that never changes: one line in a file of the folder. */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { absent } from './absent.js';
import { syncPath, writeDurably } from './durable.js';

/** The name in a file; `undefined` if the file does not exist. */
export async function readFolderName(file: string): Promise<string | undefined> {
  return (await readFile(file, 'utf8').catch(absent))?.trim();
}

/** The name in a file. The first call creates it; of several processes that start concurrently, one wins. */
export async function folderName(file: string, name: string = randomUUID()): Promise<string> {
  const existing = await readFolderName(file);
  if (existing !== undefined) return existing;
  const draft = `${file}.${name}`;
  try {
    await writeDurably(draft, `${name}\n`);
    await link(draft, file);
    await syncPath(path.dirname(file));
    return name;
  } catch (error) {
    const winner = await readFolderName(file);
    if (winner === undefined) throw error;
    return winner;
  } finally {
    await rm(draft, { force: true });
  }
}
