/** `isccd simprint FILE|-`: the result of `POST /simprint` for a plain text file. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { native } from '../../native.js';
import { CommandFailed, reason } from '../terminal/failure.js';

export async function simprint(file: string): Promise<void> {
  const bytes = await read(file);
  const text = decode(bytes, file);
  if (text.length === 0) throw new CommandFailed(`${file}: the file has no text`);
  const simprints = await native.simprints(bytes);
  process.stdout.write(`${JSON.stringify({ CONTENT_TEXT_V0: simprints })}\n`);
}

async function read(file: string): Promise<Buffer> {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw new CommandFailed(`${file}: ${reason(error)}`);
  }
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailed(`${file}: not UTF-8 text`);
  }
}
