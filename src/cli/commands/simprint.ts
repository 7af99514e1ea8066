/** `isccd simprint FILE|-`: the result of `POST /simprint` for a plain text file. */
import { native } from '../../native.js';
import { readNamed } from '../input/named-file.js';
import { CommandFailed } from '../terminal/failure.js';

export async function simprint(file: string): Promise<void> {
  const bytes = await readNamed(file);
  const text = decode(bytes, file);
  if (text.length === 0) throw new CommandFailed(`${file}: the file has no text`);
  const simprints = await native.simprints(bytes);
  process.stdout.write(`${JSON.stringify({ CONTENT_TEXT_V0: simprints })}\n`);
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailed(`${file}: not UTF-8 text`);
  }
}
